import type { AnswerTemplate } from "@landing-page-service/contract/dialect";
import { parseJson } from "@landing-page-service/contract";
import { learn, learnString, type Lesson, type Sample } from "./learn.ts";
import type { Observation } from "./observe.ts";

/** The bodies of answers, as samples. */
export function bodiesOf(observations: readonly Observation[]): Sample[] {
  return observations.map(({ exchange, facts, pages }) => ({
    value: parseJson(exchange.answer?.body ?? ""),
    facts,
    pages,
  }));
}

/** The template of answers that look as the first of them does. */
export function learnAnswer(observations: readonly Observation[], lesson: Lesson): AnswerTemplate | undefined {
  const first = observations[0]?.exchange.answer;
  if (first === undefined) return undefined;
  const isAlike = ({ exchange: { answer } }: Observation): boolean =>
    answer !== undefined &&
    (answer.status === first.status || first.status >= 400) &&
    (answer.body === "") === (first.body === "");
  const same = observations.filter(isAlike);
  const headers = learnHeaders(same, lesson);
  const start = { status: first.status, ...(Object.keys(headers).length > 0 && { headers }) };
  if (first.body === "") return start;
  const bodies = bodiesOf(same);
  if (bodies.every(({ value }) => value !== undefined))
    return { ...start, body: learn(bodies, { ...lesson, path: `${lesson.path}/body` }) };
  const kind = kindOf(first.body);
  const texts = same.map(({ exchange, facts }) => ({ value: exchange.answer?.body, facts }));
  return { ...start, [kind]: learnString(texts, { ...lesson, path: `${lesson.path}/${kind}` }) };
}

function kindOf(body: string): "html" | "text" {
  return /^\s*</.test(body) ? "html" : "text";
}

const usualTypes = { body: "application/json", html: "text/html", text: "text/plain" };

/** Where a page is, how many there are in all, what comes next, and a media type that is not the usual one. */
function learnHeaders(observations: readonly Observation[], lesson: Lesson): Record<string, string> {
  const samples = (name: string) =>
    observations.map(({ exchange, facts }): Sample => ({ value: exchange.answer?.headers[name], facts }));
  const headers: Record<string, string> = {};
  const add = (name: string, template: string): void => void (headers[name] = template);
  const inside = (name: string): Lesson => ({ ...lesson, name, path: `${lesson.path}/headers/${name}` });
  if (samples("location").every(({ value }) => value !== undefined))
    add("Location", learnString(samples("location"), inside("Location")));
  const type = observations[0]?.exchange.answer?.headers["content-type"];
  const body = observations[0]?.exchange.answer?.body ?? "";
  const kind = parseJson(body) === undefined ? kindOf(body) : "body";
  if (body !== "" && type?.split(";")[0] !== usualTypes[kind]) add("Content-Type", type ?? "");
  if (!lesson.subjects.includes("list")) return headers;
  const names = new Set(observations.flatMap(({ exchange }) => Object.keys(exchange.answer?.headers ?? {})));
  for (const name of names) {
    const isTotal = samples(name).every(({ value, facts }) => value === String(facts.list?.total));
    const isVaried = new Set(samples(name).map(({ value }) => value)).size > 1;
    if (isTotal && isVaried) add(name, "{total}");
    if (name === "link") add(name, learnString(samples(name), inside(name)));
  }
  return headers;
}
