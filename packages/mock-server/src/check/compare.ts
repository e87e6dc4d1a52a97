// Compares what a service answers with what a dialect writes of the same facts, place by place.
import { isDeepStrictEqual } from "node:util";
import { type EndpointName, isObject, parseJson, type Switches } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type DialectFile,
  type Facts,
  hasFilling,
  placeholders,
  listSubjects,
  readAnswers,
  renderPlaceholder,
  renderText,
  resolveDialect,
  type TemplateNode,
} from "@landing-page-service/contract/dialect";
import type { Exchange } from "./client.ts";
import type { Observation, Observed } from "./observe.ts";

/** One place where a service no longer does what a dialect says. */
export interface Drift {
  /** Where: a switch such as `switches/list-order`, or a place in an answer such as `listPages/body/total`. */
  readonly place: string;
  /** What the dialect says: a reading, a status, a placeholder or a type. */
  readonly expected: string;
  /** What the service does. */
  readonly found: string;
}

/** Every place where what was observed is not what a dialect says; constants may have other values. */
export function compareDialect(
  file: DialectFile,
  seen: { readonly switches: Readonly<Partial<Switches>>; readonly observed: Observed },
): Drift[] {
  const { switches, answers } = resolveDialect(file);
  const shapes = readAnswers(answers);
  const drifts = new Map<string, Drift>();
  const add: Add = (place, expected, found) => {
    if (expected !== found && !drifts.has(place)) drifts.set(place, { place, expected, found });
  };
  for (const [id, reading] of Object.entries(seen.switches))
    add(`switches/${id}`, switches[id as keyof Switches], reading); // why: its own keys
  const { answers: observed, errors } = seen.observed;
  // Of a file that has no list of its own, nobody knows whether the pages were ever found.
  const lists = observed.listPages.filter(
    ({ facts }) => file.answers?.listPages !== undefined || facts.list?.count !== 0,
  );
  const named = [
    ...Object.entries({ ...observed, listPages: lists }),
    ...errors.map(({ name, observations }) => [`errors/${name}`, observations] as const),
  ];
  for (const [name, observations] of named)
    for (const observation of observations) compareAnswer(name, shapeOf(shapes, name), observation, add);
  const varies = file.varies ?? [];
  return [...drifts.values()].filter(({ place }) => !varies.some((known) => `${place}/`.startsWith(`${known}/`)));
}

type Add = (place: string, expected: string, found: string) => void;

function shapeOf(shapes: AnswerShapes, name: string): AnswerShape {
  if (name === "emptyList" || name === "emptyAccount") return shapes[name];
  const [, error] = name.split("/");
  if (error === undefined) return shapes.endpoints[name as EndpointName]; // why: all others are those
  const status = error === "malformed" ? 400 : Number(error);
  const shape = error === "malformed" ? shapes.malformed : (shapes.errors.get(status) ?? shapes.error);
  return { ...shape, status: shape.status ?? status };
}

function compareAnswer(name: string, shape: AnswerShape, { exchange, facts, pages }: Observation, add: Add): void {
  const { status = 0, headers = {}, body: text = "" } = exchange.answer ?? {};
  add(`${name}/status`, String(shape.status), String(status));
  const kind = kindOf(exchange);
  add(`${name}/body`, kindNames[shape.body?.kind ?? "none"], kindNames[kind]);
  const written = new Map(shape.headers.map(([header, node]) => [header.toLowerCase(), node]));
  for (const [header, node] of written) {
    const expected = renderText(node, facts);
    const found = headers[header] ?? "";
    const isSame =
      expected === found || (header !== "content-type" && expected !== "" && found !== "" && header !== "location");
    if (!isSame)
      add(`${name}/headers/${header}`, expected === "" ? "nothing" : writeNode(node), found === "" ? "nothing" : found);
  }
  if (!written.has("location") && headers["location"] !== undefined)
    add(`${name}/headers/location`, "nothing", "a header");
  if (shape.body?.kind === "json" && kind === "json")
    compareValue(shape.body.node, parseJson(text), { place: `${name}/body`, facts, pages, add });
}

const kindNames = { json: "JSON", text: "plain text", html: "HTML", none: "no body" };

function kindOf({ answer }: Exchange): keyof typeof kindNames {
  const { body = "" } = answer ?? {};
  if (body === "") return "none";
  return parseJson(body) !== undefined ? "json" : /^\s*</.test(body) ? "html" : "text";
}

interface At {
  readonly facts: Facts;
  readonly pages: Observation["pages"] | undefined;
  readonly place: string;
  readonly add: Add;
}

function compareValue(node: TemplateNode, found: unknown, at: At): void {
  const { place, facts, add } = at;
  if (node.kind === "object" && isObject(found)) return compareMembers(node.members, found, at);
  if (node.kind === "array" && Array.isArray(found)) {
    const items = node.items.filter((item) => item.kind !== "optional" || hasFilling(item, facts));
    items.forEach((item, index) => compareValue(item, found[index], { ...at, place: `${place}/${index}` }));
    return;
  }
  if (node.kind === "each" && Array.isArray(found) === (node.key === undefined) && typeof found === "object" && found)
    return compareEach(node, found, at);
  if (node.kind === "optional") {
    if (hasFilling(node, facts) || isObject(found)) return compareValue(node.item, found, at);
    return add(place, "null", typeOf(found));
  }
  const whole =
    node.kind === "placeholder" && node.formats.length === 0 ? renderPlaceholder(node.name, [], facts) : undefined;
  if (
    node.kind === "placeholder" &&
    typeof whole === "object" &&
    whole &&
    Array.isArray(whole) === Array.isArray(found) &&
    typeof found === "object" &&
    found
  )
    return compareWhole(whole, found, node.name, at);
  if (isUnlike(node, found, facts)) add(place, writeNode(node), typeOf(found));
}

function compareMembers(
  members: (TemplateNode & { kind: "object" })["members"],
  found: Readonly<Record<string, unknown>>,
  at: At,
): void {
  const { place, facts, add } = at;
  const names = new Set<string>();
  for (const { name, isOptional, needs, value } of members) {
    if (name === undefined) {
      if (value.kind === "object")
        for (const member of value.members) names.add(renderText(member.name ?? value, facts));
      continue;
    }
    const key = renderText(name, facts);
    names.add(key);
    const isThere = Object.hasOwn(found, key);
    // Whether a field is blamed, only the answer tells.
    const isDue = !isOptional || (hasFilling(needs ?? value, facts) && facts.error === undefined);
    if (isThere) compareValue(value, found[key], { ...at, place: `${place}/${key}` });
    else if (isDue) add(`${place}/${key}`, writeNode(value), "nothing");
  }
  for (const name of Object.keys(found)) if (!names.has(name)) add(`${place}/${name}`, "nothing", typeOf(found[name]));
}

function compareEach(node: TemplateNode & { kind: "each" }, found: object, at: At): void {
  const entries = Object.entries(found);
  const isPage = node.of === "page";
  const known = isPage ? at.pages?.map((page) => ({ ...at.facts, page })) : listSubjects(node.of, at.facts);
  const isKnown = known?.length === entries.length;
  const { key } = node;
  const names = key === undefined ? [] : (known ?? []).map((facts) => renderText(key, facts));
  entries.forEach(([name, item], index) => {
    const facts = isKnown ? (known[index] ?? at.facts) : at.facts;
    const place = `${at.place}/${key === undefined ? (isPage ? 0 : index) : writeNode(key)}`;
    if (isPage && facts.page === undefined) return;
    if (key !== undefined && names.length > 0 && !names.includes(name)) at.add(place, writeNode(key), name);
    else compareValue(node.item, item, { ...at, facts, place });
  });
}

/** Compares with a value that a placeholder stands for as a whole, such as `{cta}`. */
function compareWhole(expected: object, found: object, placeholder: string, at: At): void {
  const parts = new Map(Object.entries(found));
  for (const [name, inner] of Object.entries(expected)) {
    const part: unknown = parts.get(name);
    const place = `${at.place}/${name}`;
    if (typeof inner === "object" && typeof part === "object" && inner && part)
      compareWhole(inner as object, part, placeholder, { ...at, place }); // why: it is one
    else if (typeOf(inner) !== typeOf(part) || (placeholder === "cta" && inner !== part))
      at.add(place, `{${placeholder}.${name}}`, typeOf(part));
  }
  for (const [name, part] of parts)
    if (!Object.hasOwn(expected, name) && !Array.isArray(found)) at.add(`${at.place}/${name}`, "nothing", typeOf(part));
}

/** Values that a check does not know: only their type is compared. */
const unknownPlaceholders =
  /^(?:created_at|updated_at|now|next_cursor|previous_cursor|event\.id|request_id|detail|error\..*|domain\..*|alias\..*|domains|origin|host|total|code|reason)$/;

function isUnlike(node: TemplateNode, found: unknown, facts: Facts): boolean {
  if (node.kind === "constant") return typeOf(node.value) !== typeOf(found);
  if (node.kind === "text") return typeof found !== "string" && !(found === null && renderText(node, facts) === "");
  if (node.kind !== "placeholder") return true;
  const expected = renderPlaceholder(node.name, node.formats, facts);
  if (isDeepStrictEqual(expected, found ?? null)) return false;
  if (!unknownPlaceholders.test(node.name)) return true;
  const { about } = placeholders[node.name];
  const isUnknown =
    expected === null && (about === "domain" || about === "alias" || about === "error" || about === "field");
  return !isUnknown && typeOf(expected) !== typeOf(found);
}

function typeOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A part of a template in words. */
function writeNode(node: TemplateNode): string {
  if (node.kind === "placeholder") return `{${[node.name, ...node.formats].join(":")}}`;
  if (node.kind === "text") return node.parts.map(writeNode).join("");
  if (node.kind === "constant") return typeof node.value === "string" ? node.value : typeOf(node.value);
  if (node.kind === "optional") return writeNode(node.item);
  return node.kind === "object" || (node.kind === "each" && node.key !== undefined) ? "an object" : "an array";
}
