// Learns the template of a response, and compares what a service sends with what a dialect renders.
import { type EndpointName, isObject, parseJson, type Switches } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type AnswerTemplate,
  type DialectFile,
  readAnswers,
  resolveDialect,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { parseExactJson, type ReadFacts, readResponse, renderResponse } from "@landing-page-service/contract/internal";
import { type Exchange, jsonOf } from "./client.ts";
import type { Observation, Observed, ResponseName } from "./facts.ts";
import { entriesOf, type Path } from "./json.ts";
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
function kindOf(body: string): "json" | "text" | "html" | "none" {
  if (body === "") return "none";
  return parseJson(body) !== undefined ? "json" : /^\s*</.test(body) ? "html" : "text";
}

/** The default media types of a response. */
const mediaTypes = { json: "application/json", html: "text/html", text: "text/plain", none: undefined };

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

/** Reads a response by a template. */
export function readExchange(shape: AnswerShape, { answer }: Exchange): ReadFacts {
  return readResponse(shape, { headers: new Headers(answer?.headers), text: answer?.body ?? "" });
}

/** One difference between a service and a dialect. */
export interface Drift {
  /** The path of a switch, such as `switches/list-order`, or of a part of a response, such as `listPages/body/total`. */
  readonly place: string;
  /** The interpretation, status, placeholder or type in the dialect. */
  readonly expected: string;
  /** The actual interpretation, status, placeholder or type of the service. */
  readonly found: string;
}

/** How to compare responses. */
export interface CompareOptions {
  /** The path of the pages of a list. */
  readonly listPath?: Path | undefined;
  /** Whether constants must have the same values, not only the same types. @defaultValue false */
  readonly isExact?: boolean;
}

/** The part of a response to compare. */
interface At extends Pick<Observation, "facts" | "pages"> {
  readonly place: string;
  readonly listPlace: string | undefined;
  readonly isExact: boolean;
  readonly add: (place: string, expected: string, found: string) => void;
}

/** Finds every difference between a service and a dialect, except those at places that vary. */
export function compareDialect(
  file: DialectFile,
  found: Readonly<Partial<Switches>>,
  observed: Observed,
  listPath: Path | undefined,
): Drift[] {
  const { switches } = resolveDialect(file);
  const switched = Object.entries(found).flatMap(([id, interpretation]): Drift[] => {
    const expected = switches[id as keyof Switches]; // why: its own keys
    return expected === interpretation ? [] : [{ place: `switches/${id}`, expected, found: interpretation }];
  });
  const varies = file.varies ?? [];
  return [...switched, ...compareResponses(file, observed, { listPath })].filter(
    ({ place }) => !varies.some((known) => `${place}/`.startsWith(`${known}/`)),
  );
}

/** Finds every difference between observed responses and those of a dialect. */
export function compareResponses(file: DialectFile, observed: Observed, options: CompareOptions = {}): Drift[] {
  const { listPath, isExact = false } = options;
  const drifts = new Map<string, Drift>();
  const add: At["add"] = (place, expected, found) => {
    if (!drifts.has(place)) drifts.set(place, { place, expected, found });
  };
  const listPlace = listPath && ["listPages/body", ...listPath].join("/");
  const shapes = readAnswers(resolveDialect(file).answers);
  for (const [place, observations] of observed)
    for (const observation of observations) {
      const { exchange, facts, pages } = observation;
      // If the file has no template for lists, its check may not have found the pages.
      const isKnown = place !== "listPages" || file.answers?.listPages || facts.list?.count !== 0;
      const at: At = { place, facts, pages, listPlace, isExact, add };
      if (isKnown && exchange.answer) compareAnswers(render(shapeOf(shapes, place), observation), exchange.answer, at);
    }
  return [...drifts.values()];
}

function shapeOf(shapes: AnswerShapes, name: ResponseName): AnswerShape {
  if (name === "emptyList" || name === "emptyAccount") return shapes[name];
  const [, error] = name.split("/");
  if (error === undefined) return shapes.endpoints[name as EndpointName]; // why: all other names are endpoints
  const status = error === "malformed" ? 400 : Number(error);
  const shape = error === "malformed" ? shapes.malformed : (shapes.errors.get(status) ?? shapes.error);
  return { ...shape, status: shape.status ?? status };
}

type Answer = NonNullable<Exchange["answer"]>;

function render(shape: AnswerShape, { facts, pages }: Observation): Answer {
  const listed = pages.flatMap((page) => page.facts.page ?? []);
  const { headers, text = "" } = renderResponse(shape, { ...facts, pages: listed });
  const hasType = shape.headers.some(([name]) => name.toLowerCase() === "content-type");
  const type = shape.body !== undefined && !hasType && { "content-type": mediaTypes[shape.body.kind] };
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { status: shape.status ?? facts.status, headers: { ...type, ...Object.fromEntries(own) }, body: text };
}

const kindNames = { json: "JSON", text: "plain text", html: "HTML", none: "no body" };

function compareAnswers(expected: Answer, found: Answer, at: At): void {
  const { place, add } = at;
  if (expected.status !== found.status) add(`${place}/status`, String(expected.status), String(found.status));
  const [kind, other] = [kindOf(expected.body), kindOf(found.body)];
  if (kind !== other) add(`${place}/body`, kindNames[kind], kindNames[other]);
  else if (kind === "json")
    compareValues(parseExactJson(expected.body), parseExactJson(found.body), inside(at, "body"));
  for (const name of new Set(["location", ...Object.keys(expected.headers)])) {
    const [wanted, got] = [expected.headers[name], found.headers[name]];
    const header = inside(at, `headers/${name}`);
    const isType = name === "content-type";
    // Links and totals differ in every list, and a default media type may have a character set.
    const isComparable = name === "location" || (isType && wanted !== got?.split(";")[0]);
    const isOther = isComparable ? wanted !== got : (wanted === undefined) !== (got === undefined);
    if (isOther && !(isType && kind !== other))
      add(header.place, describe(wanted, header, true), describe(got, header, true));
  }
}

function inside(at: At, step: string): At {
  return { ...at, place: `${at.place}/${step}` };
}

function compareValues(expected: unknown, found: unknown, at: At): void {
  const { place, listPlace, pages, add } = at;
  // A list that has only pages of others shows nothing.
  if (expected === found || (place === listPlace && pages.length === 0)) return;
  const isArray = Array.isArray(expected);
  if (typeOf(expected) !== typeOf(found) || typeof expected !== "object" || expected === null) {
    const wanted = describe(expected, at, true);
    if (isUnlike(expected, found, wanted, at)) add(place, wanted, describe(found, at, at.isExact));
    return;
  }
  const [fields, others] = [new Map(entriesOf(expected)), new Map(entriesOf(found))];
  if (place === listPlace) {
    for (const [index, value] of [...fields.values()].entries())
      compareValues(value, pages[index]?.value, { ...inside(at, isArray ? "0" : "{id}"), ...pages[index] });
    return;
  }
  // An array may have fewer or more elements, such as domains.
  const names = [...fields.keys(), ...others.keys()].filter(
    (name) => !isArray || name === "0" || (fields.has(name) && others.has(name)),
  );
  for (const name of new Set(names)) compareValues(fields.get(name), others.get(name), inside(at, name));
}

/** Placeholders whose values a check does not know. Only the types of these values are compared. */
const unknownPlaceholders =
  /^\{(?:created_at|updated_at|now|next_cursor|previous_cursor|event\.id|request_id|detail|error\.detail)/;
/** Placeholders whose values may change from check to check. */
const inconstantPlaceholders = /^\{(?:error\.|domain\.|alias\.|origin|host|total|code|reason)/;

function isUnlike(expected: unknown, found: unknown, placeholder: string, { isExact }: At): boolean {
  // The check does not know every host.
  if (expected === null && typeof found === "string" && /^(?:https?:\/\/|[\w-]+(?:\.[\w-]+)+$)/.test(found))
    return false;
  if (typeOf(expected) !== typeOf(found)) return true;
  if (unknownPlaceholders.test(placeholder)) return false;
  return isExact || (/^\{[a-z][\w.:-]*\}$/i.test(placeholder) && !inconstantPlaceholders.test(placeholder));
}

function typeOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : isObject(value) ? "an object" : `a ${typeof value}`;
}

/** Describes a value by its placeholder, or else by its type. With `isShown`, a constant describes itself. */
function describe(value: unknown, { place, facts }: At, isShown: boolean): string {
  if (value === undefined || value === null || typeof value === "object") return typeOf(value);
  const subjects = [...subjectsOf(place), ...(facts.page === undefined ? [] : aboutPage)];
  const name = place.slice(place.lastIndexOf("/") + 1);
  const template = learn([{ value, facts }], { path: place, name, subjects, note: () => undefined });
  if (typeof template !== "string") return typeOf(value);
  return isShown || /(?<!\{)\{[a-z]/i.test(template) ? template : typeOf(value);
}
