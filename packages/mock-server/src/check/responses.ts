// Learns the template of one kind of response.
import { parseJson } from "@landing-page-service/contract";
import type { AnswerTemplate, Subject } from "@landing-page-service/contract/dialect";
import { jsonOf } from "./client.ts";
import type { Observation } from "./facts.ts";
import { learn, learnString, type Place } from "./learn.ts";

/** Subjects of the placeholders that a response with one page may have. */
export const aboutPage: readonly Subject[] = ["answer", "page", "domain", "alias"];

/** Returns the subjects of the placeholders at a place, such as `listPages/body/total`. */
export function subjectsOf(place: string): readonly Subject[] {
  const [name = ""] = place.split("/");
  if (name === "errors") return ["answer", "error", "field"];
  if (/^(?:listPages|emptyList|emptyAccount)$/.test(name)) return ["answer", "list"];
  const own: Subject[] = name === "updatePage" ? ["changes"] : name === "trackEvent" ? ["event"] : [];
  return [...aboutPage, ...own];
}

/** Learns a template from the responses that have the status of the first one, and a body if it has one. */
export function learnResponse(observations: readonly Observation[], place: Place): AnswerTemplate | undefined {
  const first = observations[0]?.exchange.answer;
  if (first === undefined) return undefined;
  const same = observations.filter(({ exchange: { answer } }) => {
    const isStatus = answer?.status === first.status || first.status >= 400;
    return isStatus && (answer?.body === "") === (first.body === "");
  });
  const headers = learnHeaders(same, place);
  const start = { status: first.status, ...(Object.keys(headers).length > 0 && { headers }) };
  if (first.body === "") return start;
  const bodies = same.map(({ exchange, facts }) => ({ value: jsonOf(exchange), facts }));
  if (bodies.every(({ value }) => value !== undefined))
    return { ...start, body: learn(bodies, { ...place, path: `${place.path}/body` }) };
  const kind = kindOf(first.body) === "html" ? "html" : "text";
  const texts = same.map(({ exchange, facts }) => ({ value: exchange.answer?.body, facts }));
  return { ...start, [kind]: learnString(texts, { ...place, path: `${place.path}/${kind}` }) };
}

/** The kind of a body. */
export function kindOf(body: string): "json" | "text" | "html" | "none" {
  if (body === "") return "none";
  return parseJson(body) !== undefined ? "json" : /^\s*</.test(body) ? "html" : "text";
}

/** The default media types of a response. */
export const mediaTypes = { json: "application/json", html: "text/html", text: "text/plain", none: undefined };

/** Learns the headers: `Location`, `Link`, a total, and a media type other than the default. */
function learnHeaders(observations: readonly Observation[], place: Place): Record<string, string> {
  const headers: Record<string, string> = {};
  const learnHeader = (name: string, header = name): void => {
    const values = observations.map(({ exchange, facts }) => ({ value: exchange.answer?.headers[name], facts }));
    const inner: Place = { ...place, name, path: `${place.path}/headers/${header}` };
    if (values.every(({ value }) => value !== undefined)) headers[header] = learnString(values, inner);
  };
  learnHeader("location", "Location");
  const { headers: received = {}, body = "" } = observations[0]?.exchange.answer ?? {};
  const type = received["content-type"] ?? "";
  if (body !== "" && type.split(";")[0] !== mediaTypes[kindOf(body)]) headers["Content-Type"] = type;
  if (!place.subjects.includes("list")) return headers;
  learnHeader("link");
  for (const name of Object.keys(received)) {
    const values = observations.map(({ exchange }) => exchange.answer?.headers[name]);
    const isTotal = values.every((value, index) => value === String(observations[index]?.facts.list?.total));
    if (isTotal && new Set(values).size > 1) headers[name] = "{total}";
  }
  return headers;
}
