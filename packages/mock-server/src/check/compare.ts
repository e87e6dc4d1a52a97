// Compares what a service sends with what a dialect renders.
import { type EndpointName, isObject, parseJson, type Switches } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type DialectFile,
  readAnswers,
  resolveDialect,
} from "@landing-page-service/contract/dialect";
import {
  isWithin,
  parseExactJson,
  type ReadFacts,
  readResponse,
  renderResponse,
  type TemplatePart,
  toPointer,
} from "@landing-page-service/contract/internal";
import type { Exchange } from "./client.ts";
import type { Observation, Observed, ResponseName } from "./facts.ts";
import { entriesOf, type Path, placeOf } from "./json.ts";

/** One difference between a service and a dialect. */
export interface Drift {
  /** The path of a switch, such as `switches/list-order`, or of a part of a response, such as `listPages/body/total`. */
  readonly place: string;
  /** The interpretation, status, placeholder or type in the dialect. */
  readonly expected: string;
  /** The actual interpretation, status, header or type of the service. */
  readonly found: string;
}

/** A place where a response is not as a dialect renders it. */
export interface Difference extends Drift {
  /** Whether both have a value of the same type, and the dialect has a constant there, or a value that may change from check to check. */
  readonly isConstant: boolean;
}

/** Finds every difference between a service and a dialect, except those at places that vary. */
export function compareDialect(
  file: DialectFile,
  found: Readonly<Partial<Switches>>,
  observed: Observed,
  listPath: Path | undefined,
): Drift[] {
  const { switches } = resolveDialect(file);
  const switched = Object.entries(found).map(([id, interpretation]): Difference => {
    const expected = switches[id as keyof Switches]; // why: its own keys
    return { place: `switches/${id}`, expected, found: interpretation, isConstant: expected === interpretation };
  });
  return [...switched, ...compareResponses(file, observed, listPath)]
    .filter((one) => !one.isConstant && !file.varies?.some((known) => isWithin(one.place, known)))
    .map(({ place, expected, found }) => ({ place, expected, found }));
}

/** Finds every place where observed responses are not as a dialect renders them. `listPath` is the path of the pages of a list. */
export function compareResponses(file: DialectFile, observed: Observed, listPath?: Path): Difference[] {
  const listPlace = listPath && placeOf(["listPages", "body", ...listPath]);
  const shapes = readAnswers(resolveDialect(file).answers);
  const all = [...observed].flatMap(([name, observations]) =>
    observations.flatMap((observation) => {
      // If the file has no template for lists, its check may not have found the pages.
      const isKnown = name !== "listPages" || file.answers?.listPages || observation.facts.list?.count !== 0;
      return isKnown ? compareResponse(name, shapeOf(shapes, name), observation, listPlace) : [];
    }),
  );
  // A place that differs in more than a constant in any response counts as such.
  const sorted = all.toSorted((one, other) => Number(one.isConstant) - Number(other.isConstant));
  return [...Map.groupBy(sorted, ({ place }) => place).values()].flatMap(([first]) => first ?? []);
}

function shapeOf(shapes: AnswerShapes, name: ResponseName): AnswerShape {
  if (name === "emptyList" || name === "emptyAccount") return shapes[name];
  const [, error] = name.split("/");
  if (error === undefined) return shapes.endpoints[name as EndpointName]; // why: all other names are endpoints
  const status = error === "malformed" ? 400 : Number(error);
  const shape = error === "malformed" ? shapes.malformed : (shapes.errors.get(status) ?? shapes.error);
  return { ...shape, status: shape.status ?? status };
}

/** Reads a response by a template. */
export function readExchange(shape: AnswerShape, { answer }: Exchange): ReadFacts {
  return readResponse(shape, { headers: new Headers(answer?.headers), text: answer?.body ?? "" });
}

/** The default media types of bodies. */
export const mediaTypes = {
  JSON: "application/json",
  HTML: "text/html",
  "plain text": "text/plain",
  "no body": undefined,
};

/** The kind of a body. */
export function kindOf(body: string): keyof typeof mediaTypes {
  if (body === "") return "no body";
  return parseJson(body) !== undefined ? "JSON" : /^\s*</.test(body) ? "HTML" : "plain text";
}

function compareResponse(
  name: ResponseName,
  shape: AnswerShape,
  { exchange: { answer }, facts, pages }: Observation,
  listPlace: string | undefined,
): Difference[] {
  if (answer === undefined) return [];
  const listed = pages.flatMap((page) => page.facts.page ?? []);
  const { headers, text = "" } = renderResponse(shape, { ...facts, pages: listed });
  const [kind, foundKind] = [kindOf(text), kindOf(answer.body)];
  // A response of another kind has another media type, and one without a media type has that of its kind.
  const type = kind === foundKind && answer.headers["content-type"] && { "Content-Type": mediaTypes[kind] };
  const own: Record<string, string | undefined> = { Location: undefined, ...type, ...headers };
  const differ = (step: string, wanted: string, got: string): Difference[] =>
    wanted === got ? [] : [{ place: `${name}/${step}`, expected: wanted, found: got, isConstant: false }];
  const differences = [
    ...differ("status", String(shape.status ?? facts.status), String(answer.status)),
    ...differ("body", kind, foundKind),
    ...Object.entries(own).flatMap(([header, value]) => {
      const key = header.toLowerCase();
      return differ(`headers/${header}`, showHeader(key, value), showHeader(key, answer.headers[key]));
    }),
  ];
  if (kind !== foundKind) return differences;
  const [expected, found] = [text, answer.body].map((body) => (kind === "JSON" ? parseExactJson(body) : body));
  const parts = listParts(readResponse(shape, { headers: new Headers(headers), text, json: expected }));
  const known = Map.groupBy(parts, ({ pointer }) => pointer);
  const step = shape.body?.kind === "json" ? "body" : shape.body?.kind;
  const at: At = { place: `${name}/${step}`, pointer: "#", known, listPlace, pages };
  return differences.concat(compareValues(expected, found, at));
}

/** A header as far as it is the same in every response of a kind. Links and totals differ in every list. */
function showHeader(name: string, value: string | undefined): string {
  if (value === undefined) return "nothing";
  return name === "location" ? value : name === "content-type" ? value.replace(/;.*/, "") : "a string";
}

/** Lists the placeholders and repeated elements in a response, whose template has read it. */
function listParts({ found, repeated }: ReadFacts): TemplatePart[] {
  const inner = Object.values(repeated).flatMap((each) => each.flatMap(listParts));
  return found.filter(({ name }) => name !== "constant").concat(inner);
}

/** A place in a response. */
interface At {
  readonly place: string;
  /** The place in the rendered response. */
  readonly pointer: string;
  /** The placeholders and repeated elements, by their pointer. */
  readonly known: ReadonlyMap<string, readonly TemplatePart[]>;
  readonly listPlace: string | undefined;
  readonly pages: Observation["pages"];
}

function compareValues(expected: unknown, found: unknown, at: At): Difference[] {
  const isArray = Array.isArray(expected);
  if (typeOf(expected) !== typeOf(found) || !(isArray || isObject(expected))) return compareLeaf(expected, found, at);
  const inside = (name: string, step = name): At => {
    return { ...at, place: `${at.place}/${placeOf([step])}`, pointer: toPointer([name], at.pointer) };
  };
  const [fields, others] = [new Map(entriesOf(expected)), new Map(entriesOf(found))];
  // The other elements are pages of others.
  if (at.place === at.listPlace)
    return [...fields].flatMap(([name, value], index) =>
      compareValues(value, at.pages[index]?.value, inside(name, isArray ? "0" : "{id}")),
    );
  // An array may have fewer or more elements, such as domains.
  const isCompared = (name: string) => !isArray || name === "0" || (fields.has(name) && others.has(name));
  const names = new Set([...fields.keys(), ...others.keys()].filter(isCompared));
  const differences = [...names].flatMap((name) => compareValues(fields.get(name), others.get(name), inside(name)));
  if (!isArray || at.known.has(at.pointer) || fields.size === others.size) return differences;
  const [size, foundSize] = [`${fields.size} elements`, `${others.size} elements`];
  return [{ place: at.place, expected: size, found: foundSize, isConstant: true }, ...differences];
}

/** Placeholders whose values a check does not know. */
const unknown = /^(?:created_at|updated_at|now|\w+_cursor|event\.id|request_id|(?:error\.)?detail)$/;
/** Placeholders whose values may change from check to check. */
const inconstant: ReadonlySet<string> = new Set(["total", "path", "origin", "host"]);

function compareLeaf(expected: unknown, found: unknown, { place, pointer, known }: At): Difference[] {
  const own = (known.get(pointer) ?? []).map(({ name }) => name);
  const isSameType = typeOf(expected) === typeOf(found);
  if (expected === found || (isSameType && own.some((name) => unknown.test(name)))) return [];
  const isLeaf = typeof expected !== "object" && own.length > 0;
  const shown = isLeaf ? own.map((name) => `{${name}}`).join(" ") : typeOf(expected);
  return [
    {
      place,
      expected: shown,
      found: typeOf(found),
      isConstant: isSameType && own.every((name) => inconstant.has(name)),
    },
  ];
}

function typeOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : isObject(value) ? "an object" : `a ${typeof value}`;
}
