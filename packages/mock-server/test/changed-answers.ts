// Answers of a service with one place in them changed.
import type { Change } from "./learning.ts";

/** What may become of a place. */
export const kinds = ["rename", "drop", "retype"] as const;

/** A member of an answer; `*` stands for each item of an array, or each member that is named by what it is about. */
export interface Place {
  readonly answer: string;
  readonly way: readonly string[];
}

/** Tells of each answer of one check what a dialect calls it; the list after its pages are deleted is that of an empty account too. */
export function createNamer(): typeof nameAnswer {
  let count = 0;
  const keys = new Set<string>();
  return async (request, response) => {
    const name = await nameAnswer(request, response);
    const key = request.headers.get("idempotency-key");
    if (name === "createPage" && (key === null || !keys.has(key))) count += 1;
    if (name === "createPage" && key !== null) keys.add(key);
    if (name === "deletePage") count -= 1;
    return name === "listPages" && count === 0 ? "emptyAccount" : name;
  };
}

async function nameAnswer(request: Request, { status }: Response): Promise<string> {
  const { pathname, searchParams } = new URL(request.url);
  const text = await request.clone().text();
  if (status >= 400 && status !== 404 && request.method !== "GET" && text !== "" && !isJson(text))
    return "errors/malformed";
  const isList = request.method === "GET" && pathname === "/api/content";
  if (isList && (status < 300 || (status === 404 && request.headers.get("authorization") === "Bearer test_check")))
    return searchParams.has("offset") && Number(searchParams.get("offset")) > 100 ? "emptyList" : "listPages";
  if (status >= 400) return `errors/${status}`;
  if (pathname === "/api/analytics/view") return "trackEvent";
  return { POST: "createPage", PUT: "updatePage", DELETE: "deletePage" }[request.method] ?? "listPages";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The places of an answer. */
export function listPlaces(answer: string, text: string): Place[] {
  const isDocumented = !/^errors\/(?!400|401|404|409|429|500|malformed)/.test(answer);
  if (!isDocumented || !isJson(text)) return [];
  const ways = listWays(JSON.parse(text)).filter((way) => !way.some((name) => doubtfulFields.test(name)));
  return ways.map((way) => ({ answer, way }));
}

/**
 * The places at which anybody can tell a change. That a refusal no longer has the entry of one field, nobody can: it may
 * blame none, and which of them blame one no dialect says.
 */
export function listTellable(answers: readonly (readonly Place[])[], kind: (typeof kinds)[number]): Place[] {
  const known = answers.map((all) => new Map(all.map((place) => [JSON.stringify(place), place])));
  const isAlways = (answer: string, key: string) =>
    known.every((places, index) => answers[index]?.[0]?.answer !== answer || places.has(key));
  const places = new Map(known.flatMap((all) => all.entries().toArray()));
  const isTellable = ({ answer }: Place, key: string) =>
    kind !== "drop" || !answer.startsWith("errors/") || isAlways(answer, key);
  return [...places].flatMap(([key, place]) => (isTellable(place, key) ? [place] : []));
}

/** Names of fields that a check sends without knowing whether they are wrong. */
const doubtfulFields = /cta[._-]?type|landing[._-]?page[._-]?check/i;

/** Whether a name is that of a page. */
function isOfPage(name: string): boolean {
  return name.includes("pg_");
}

function listWays(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const step = Array.isArray(value) || isOfPage(name) ? "*" : name;
    const within = listWays(inner).map((way) => [step].concat(way));
    return step === "*" ? within : [[step]].concat(within);
  });
}

/** Changes one place, every time it is answered. */
export function changeAt({ answer, way }: Place, kind: (typeof kinds)[number]): Change {
  const nameOf = createNamer();
  return async (request, response) => {
    if ((await nameOf(request, response)) !== answer) return response;
    const text = await response.clone().text();
    if (!isJson(text)) return response;
    return new Response(JSON.stringify(edit(JSON.parse(text), way, kind)), response);
  };
}

function edit(value: unknown, [step, ...rest]: readonly string[], kind: (typeof kinds)[number]): unknown {
  if (typeof value !== "object" || value === null || step === undefined) return value;
  if (Array.isArray(value)) return step === "*" ? value.map((item) => edit(item, rest, kind)) : value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name !== step && !(step === "*" && isOfPage(name))) return [[name, inner]];
    if (rest.length > 0) return [[name, edit(inner, rest, kind)]];
    if (kind === "drop") return [];
    return kind === "rename" ? [[`changed_${name}`, inner]] : [[name, retype(inner)]];
  });
  return Object.fromEntries(entries);
}

function retype(value: unknown): unknown {
  if (value === null) return "no longer null";
  if (typeof value === "string") return { text: value };
  if (typeof value === "number") return `n${value}`;
  return typeof value === "boolean" ? String(value) : Array.isArray(value) ? { first: value } : "no longer an object";
}

/** Whether a place that was told is the one that has changed. */
export function leadsTo(told: string, { answer, way }: Place): boolean {
  if (!told.startsWith(`${answer}/body`)) return false;
  const rest = told.slice(`${answer}/body`.length);
  return rest.endsWith(`/${way.at(-1)}`) || rest.endsWith(`/changed_${way.at(-1)}`) || rest.includes("{");
}
