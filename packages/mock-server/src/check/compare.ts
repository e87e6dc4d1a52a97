// Compares the responses of a service with the responses that a dialect renders from the same facts.
import { type EndpointName, isObject, type Switches } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type DialectFile,
  readAnswers,
  resolveDialect,
} from "@landing-page-service/contract/dialect";
import { renderResponse } from "@landing-page-service/contract/internal";
import { type Exchange, jsonOf } from "./client.ts";
import type { Observation, Observed, ResponseName } from "./facts.ts";
import { entriesOf, type Path } from "./json.ts";
import { learn } from "./learn.ts";
import { aboutPage, kindOf, subjectsOf, defaultTypes } from "./responses.ts";

/** One difference between a service and a dialect. */
export interface Drift {
  /** The path of a switch, such as `switches/list-order`, or of a part of a response, such as `listPages/body/total`. */
  readonly place: string;
  /** The interpretation, status, placeholder or type in the dialect. */
  readonly expected: string;
  /** The actual interpretation, status, placeholder or type of the service. */
  readonly found: string;
}

/** The part of a response to compare. */
interface At {
  readonly place: string;
  /** The path of the pages of a list. */
  readonly listPlace: string | undefined;
  readonly name: ResponseName;
  readonly observation: Observation;
  readonly add: (place: string, expected: string, found: string) => void;
}

/** Finds every difference between a service and a dialect. Constants may have other values of the same type. */
export function compareDialect(
  file: DialectFile,
  found: Readonly<Partial<Switches>>,
  observed: Observed,
  listPath: Path | undefined,
): Drift[] {
  const { switches } = resolveDialect(file);
  const drifts = new Map<string, Drift>();
  const add: At["add"] = (place, expected, found) => {
    if (expected !== found && !drifts.has(place)) drifts.set(place, { place, expected, found });
  };
  for (const [id, reading] of Object.entries(found)) add(`switches/${id}`, switches[id as keyof Switches], reading); // why: its own keys
  const listPlace = listPath && ["listPages/body", ...listPath].join("/");
  const replayed = replay(observed, file);
  for (const [name, observations] of observed)
    for (const [index, observation] of observations.entries()) {
      // If the file has no template for lists, its check may not have found the pages.
      const isKnown = name !== "listPages" || file.answers?.listPages || observation.facts.list?.count !== 0;
      const expected = replayed.get(name)?.[index]?.exchange;
      if (isKnown) compareExchange(expected, { place: name, listPlace, name, observation, add });
    }
  const varies = file.varies ?? [];
  return [...drifts.values()].filter(({ place }) => !varies.some((known) => `${place}/`.startsWith(`${known}/`)));
}

/** Replaces the response of each observation by the one that a dialect renders. */
export function replay(observed: Observed, file: DialectFile): Observed {
  const shapes = readAnswers(resolveDialect(file).answers);
  const replayed = [...observed].map(([name, observations]) => {
    const shape = shapeOf(shapes, name);
    const same = observations.map((one) => ({ ...one, exchange: { ...one.exchange, answer: render(shape, one) } }));
    return [name, same] as const;
  });
  return new Map(replayed);
}

function shapeOf(shapes: AnswerShapes, name: ResponseName): AnswerShape {
  if (name === "emptyList" || name === "emptyAccount") return shapes[name];
  const [, error] = name.split("/");
  if (error === undefined) return shapes.endpoints[name as EndpointName]; // why: all other names are endpoints
  const status = error === "malformed" ? 400 : Number(error);
  const shape = error === "malformed" ? shapes.malformed : (shapes.errors.get(status) ?? shapes.error);
  return { ...shape, status: shape.status ?? status };
}

function render(shape: AnswerShape, { facts, pages = [] }: Observation): Exchange["answer"] {
  const known = pages.filter((page) => page !== undefined);
  const { headers, text = "" } = renderResponse(shape, { ...facts, pages: known });
  const kind = shape.body?.kind === "json" ? "body" : shape.body?.kind;
  const hasType = shape.headers.some(([name]) => name.toLowerCase() === "content-type");
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const type = kind !== undefined && !hasType && { "content-type": defaultTypes[kind] };
  return { status: shape.status ?? facts.status, headers: { ...type, ...Object.fromEntries(own) }, body: text };
}

const kindNames = { body: "JSON", text: "plain text", html: "HTML" };

function compareExchange(expected: Exchange | undefined, at: At): void {
  const { place, add, observation } = at;
  const [one, other] = [expected?.answer, observation.exchange.answer];
  if (one === undefined || other === undefined) return;
  add(`${place}/status`, String(one.status), String(other.status));
  const [kind, found] = [one, other].map(({ body }) => (body === "" ? "no body" : kindNames[kindOf(body)]));
  add(`${place}/body`, kind ?? "", found ?? "");
  if (kind === "JSON" && found === "JSON")
    compareValues(jsonOf(expected), jsonOf(observation.exchange), { ...at, place: `${place}/body` });
  for (const name of new Set(["location", ...Object.keys(one.headers)])) {
    const [wanted, got] = [one.headers[name], other.headers[name]];
    // Links and totals differ in every list, and a default media type may have a character set.
    const isExact = name === "location" || (name === "content-type" && wanted !== got?.split(";")[0]);
    const isOther = isExact ? wanted !== got : (wanted === undefined) !== (got === undefined);
    if (isOther && (name !== "content-type" || kind === found))
      add(`${place}/headers/${name}`, describe(wanted, name, at, true), describe(got, name, at, true));
  }
}

function compareValues(expected: unknown, found: unknown, at: At): void {
  const { place, listPlace, observation, add } = at;
  const isArray = Array.isArray(expected);
  if (typeOf(expected) !== typeOf(found) || typeof expected !== "object" || expected === null) {
    const name = place.slice(place.lastIndexOf("/") + 1);
    const wanted = describe(expected, name, at, true);
    if (isUnlike(expected, found, wanted)) add(place, wanted, describe(found, name, at));
    return;
  }
  const [fields, others] = [new Map(entriesOf(expected)), new Map(entriesOf(found))];
  if (place === listPlace) {
    const known = [...others.values()].flatMap((value, index) => {
      const page = observation.pages?.[index];
      return page ? [{ value, observation: { ...observation, facts: { ...observation.facts, page } } }] : [];
    });
    const inside = { ...at, place: `${place}/${isArray ? 0 : "{id}"}` };
    for (const [index, value] of [...fields.values()].entries())
      compareValues(value, known[index]?.value, { ...inside, ...known[index] });
    return;
  }
  const hosts = (observation.facts.page?.domains ?? []).map((domain) => domain.name);
  if (!isArray && hosts.some((host) => fields.has(host) && !others.has(host)))
    return add(`${place}/{domain.name}`, "{domain.name}", [...others.keys()].join(", ") || "nothing");
  // An array may have fewer elements, such as domains.
  const names = [...fields.keys(), ...others.keys()].filter((name) => !isArray || name === "0" || others.has(name));
  for (const name of new Set(names))
    compareValues(fields.get(name), others.get(name), { ...at, place: `${place}/${name}` });
}

/** Placeholders whose values a check does not know. Only the types of these values are compared. */
const unknownPlaceholders =
  /^\{(?:created_at|updated_at|now|next_cursor|previous_cursor|event\.id|request_id|detail|error\.|domain\.|alias\.|origin|host|total|code|reason)/;

function isUnlike(expected: unknown, found: unknown, placeholder: string): boolean {
  // The check does not know every host.
  if (expected === null && typeof found === "string" && /^(?:https?:\/\/|[\w-]+(?:\.[\w-]+)+$)/.test(found))
    return false;
  if (typeOf(expected) !== typeOf(found)) return true;
  return expected !== found && /^\{[a-z][\w.:-]*\}$/i.test(placeholder) && !unknownPlaceholders.test(placeholder);
}

function typeOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : isObject(value) ? "an object" : `a ${typeof value}`;
}

/** Describes a value by its placeholder, or else by its type. With `isShown`, a constant describes itself. */
function describe(value: unknown, field: string, { name, observation: { facts } }: At, isShown = false): string {
  if (value === undefined || value === null || typeof value === "object") return typeOf(value);
  const subjects = [...subjectsOf(name), ...(facts.page === undefined ? [] : aboutPage)];
  const template = learn([{ value, facts }], { path: name, name: field, subjects, note: () => undefined });
  if (typeof template !== "string") return typeOf(value);
  return isShown || /(?<!\{)\{[a-z]/i.test(template) ? template : typeOf(value);
}
