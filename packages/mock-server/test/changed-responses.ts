// Changes one place in the responses of a service.
import type { Change } from "./learning.ts";

/** Ways to change a place. */
export const kinds = ["rename", "drop", "retype"] as const;

/** A field of a response body. In its path, `*` stands for every element of an array, and for every field that is named after a page. */
export interface Place {
  readonly responseName: string;
  readonly path: readonly string[];
}

/** Names the responses of one check as a dialect does. The list is `emptyAccount` before the check creates a page and after it deleted all. */
export function createNamer(): typeof nameResponse {
  let count = 0;
  const keys = new Set<string>();
  return async (request, response) => {
    const name = await nameResponse(request, response);
    const key = request.headers.get("idempotency-key");
    if (name === "createPage" && (key === null || !keys.has(key))) count += 1;
    if (name === "createPage" && key !== null) keys.add(key);
    if (name === "deletePage") count -= 1;
    return name === "listPages" && count === 0 ? "emptyAccount" : name;
  };
}

async function nameResponse(request: Request, { status }: Response): Promise<string> {
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

/** Lists the places of a response. */
export function listPlaces(responseName: string, text: string): Place[] {
  const isDocumented = !/^errors\/(?!400|401|404|409|429|500|malformed)/.test(responseName);
  if (!isDocumented || !isJson(text)) return [];
  const paths = listPaths(JSON.parse(text)).filter((path) => !path.some((name) => doubtfulFields.test(name)));
  return paths.map((path) => ({ responseName, path }));
}

/**
 * Lists the places at which a check can detect a change. It cannot detect that an error lost its entry for a field, because an
 * error may name no field, and a dialect does not say which errors name one.
 */
export function listDetectable(responses: readonly (readonly Place[])[], kind: (typeof kinds)[number]): Place[] {
  const known = responses.map((all) => new Map(all.map((place) => [JSON.stringify(place), place])));
  const isAlways = (responseName: string, key: string) =>
    known.every((places, index) => responses[index]?.[0]?.responseName !== responseName || places.has(key));
  const places = new Map(known.flatMap((all) => all.entries().toArray()));
  const isDetectable = ({ responseName }: Place, key: string) =>
    kind !== "drop" || !responseName.startsWith("errors/") || isAlways(responseName, key);
  return [...places].flatMap(([key, place]) => (isDetectable(place, key) ? [place] : []));
}

/** Names of fields that a check sends without knowing whether they are wrong. */
const doubtfulFields = /cta[._-]?type|landing[._-]?page[._-]?check/i;

/** Whether a field is named after a page. */
function isOfPage(name: string): boolean {
  return name.includes("pg_");
}

function listPaths(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const step = Array.isArray(value) || isOfPage(name) ? "*" : name;
    const within = listPaths(inner).map((path) => [step].concat(path));
    return step === "*" ? within : [[step]].concat(within);
  });
}

/** Changes one place in every response that has it. */
export function changeAt({ responseName, path }: Place, kind: (typeof kinds)[number]): Change {
  const nameOf = createNamer();
  return async (request, response) => {
    if ((await nameOf(request, response)) !== responseName) return response;
    const text = await response.clone().text();
    if (!isJson(text)) return response;
    return new Response(JSON.stringify(edit(JSON.parse(text), path, kind)), response);
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

/** Whether a reported place is the one that was changed. */
export function leadsTo(reported: string, { responseName, path }: Place): boolean {
  if (!reported.startsWith(`${responseName}/body`)) return false;
  const rest = reported.slice(`${responseName}/body`.length);
  return rest.endsWith(`/${path.at(-1)}`) || rest.endsWith(`/changed_${path.at(-1)}`) || rest.includes("{");
}
