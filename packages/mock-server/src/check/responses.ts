// Learns one template for each kind of response that a check observed.
import { parseJson } from "@landing-page-service/contract";
import type { AnswerTemplate, Json, Subject } from "@landing-page-service/contract/dialect";
import { jsonOf } from "./client.ts";
import type { Observation, Observed, ResponseName } from "./facts.ts";
import { listLeaves, type Path, valueAt } from "./json.ts";
import { learn, learnString, type Place, type Sample } from "./learn.ts";
import { listAt } from "./pages.ts";

/** Templates by the name of the response, in full: without `{page}` or `{listedPage}`. */
export interface Responses {
  readonly templates: Map<ResponseName, AnswerTemplate>;
  /** The template of an element of a list; `undefined` if no list shows a known page. */
  readonly listedPage: Json | undefined;
}

/** Options of {@link learnResponses}. */
export interface LearnOptions {
  /** The path of the array or object with the pages of a list. */
  readonly listPath: Path | undefined;
  readonly note?: Place["note"];
  /** Strings that do not describe one error. @defaultValue the strings in errors of several statuses */
  readonly shared?: ReadonlySet<string>;
}

/** Subjects of the placeholders that a response with one page may have. */
export const aboutPage: readonly Subject[] = ["answer", "page", "domain", "alias"];

/** Returns the subjects of the placeholders that a kind of response may have. */
export function subjectsOf(name: ResponseName): readonly Subject[] {
  if (name.startsWith("errors/")) return ["answer", "error", "field"];
  if (name === "listPages" || name === "emptyList" || name === "emptyAccount") return ["answer", "list"];
  if (name === "updatePage") return [...aboutPage, "changes"];
  return name === "trackEvent" ? [...aboutPage, "event"] : aboutPage;
}

/** Learns the template of every kind of response. */
export function learnResponses(observed: Observed, options: LearnOptions) {
  const { listPath, note = () => undefined, shared = listShared(observed) } = options;
  const place = (path: string, subjects: readonly Subject[]): Place => {
    return { path, name: "", subjects, note, shared };
  };
  const lists = observed.get("listPages") ?? [];
  const elements = listElements(lists, listPath);
  const listedPage = elements.length === 0 ? undefined : learn(elements, place("listedPage", aboutPage));
  const known = new Map<string, Json>();
  if (listedPage !== undefined && listPath !== undefined) {
    const isMap = !Array.isArray(valueAt(jsonOf(lists[0]?.exchange), listPath));
    known.set(["listPages/body", ...listPath].join("/"), isMap ? { "{id}": listedPage } : [listedPage]);
  }
  const templates = new Map<ResponseName, AnswerTemplate>();
  for (const [name, observations] of observed) {
    const template = learnResponse(observations, { ...place(name, subjectsOf(name)), known });
    if (template !== undefined) templates.set(name, template);
  }
  return { templates, listedPage };
}

/** The elements of lists that are known pages. */
function listElements(lists: readonly Observation[], listPath: Path | undefined): Sample[] {
  return lists.flatMap(({ exchange, facts, pages = [] }) =>
    listAt(jsonOf(exchange), listPath).flatMap(({ value }, index) => {
      const page = pages[index];
      return page === undefined ? [] : [{ value, facts: { ...facts, page } }];
    }),
  );
}

/** The strings in errors of several statuses. A malformed body has the same status as a wrong field, so it does not count. */
export function listShared(observed: Observed): ReadonlySet<string> {
  const statuses = new Map<string, Set<string>>();
  for (const [name, observations] of observed)
    for (const { text } of observations.flatMap(({ exchange }) => listLeaves(jsonOf(exchange))))
      if (name.startsWith("errors/") && name !== "errors/malformed")
        statuses.set(text, (statuses.get(text) ?? new Set()).add(name));
  return new Set([...statuses].flatMap(([text, names]) => (names.size > 1 ? [text] : [])));
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
  const kind = kindOf(first.body);
  const bodiesAsText = same.map(({ exchange, facts }) => ({ value: exchange.answer?.body, facts }));
  return { ...start, [kind]: learnString(bodiesAsText, { ...place, path: `${place.path}/${kind}` }) };
}

/** The field of a template that holds a body. */
export function kindOf(body: string): "body" | "html" | "text" {
  return parseJson(body) !== undefined ? "body" : /^\s*</.test(body) ? "html" : "text";
}

/** The default media types of a response. */
export const defaultTypes = { body: "application/json", html: "text/html", text: "text/plain" };

/** Learns the headers: `Location`, `Link`, a total, and a media type other than the default. */
function learnHeaders(observations: readonly Observation[], place: Place): Record<string, string> {
  const headers: Record<string, string> = {};
  const valuesOf = (name: string) => observations.map(({ exchange }) => exchange.answer?.headers[name]);
  const learnHeader = (name: string, header = name): void => {
    const values = observations.map(({ exchange, facts }) => ({ value: exchange.answer?.headers[name], facts }));
    const inner: Place = { ...place, name, path: `${place.path}/headers/${header}` };
    if (values.every(({ value }) => value !== undefined)) headers[header] = learnString(values, inner);
  };
  learnHeader("location", "Location");
  const { headers: received = {}, body = "" } = observations[0]?.exchange.answer ?? {};
  const type = received["content-type"] ?? "";
  if (body !== "" && type.split(";")[0] !== defaultTypes[kindOf(body)]) headers["Content-Type"] = type;
  if (!place.subjects.includes("list")) return headers;
  learnHeader("link");
  for (const name of Object.keys(received)) {
    const values = valuesOf(name);
    const isTotal = values.every((value, index) => value === String(observations[index]?.facts.list?.total));
    if (isTotal && new Set(values).size > 1) headers[name] = "{total}";
  }
  return headers;
}
