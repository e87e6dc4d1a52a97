// Compares responses with what a dialect writes of the same facts, place by place.
import { isDeepStrictEqual } from "node:util";
import { type EndpointName, isObject, type Switches } from "@landing-page-service/contract";
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
import { jsonOf } from "./client.ts";
import type { Observation, Observed } from "./facts.ts";
import { entriesOf } from "./json.ts";
import { kindOf } from "./templates.ts";

/** One place where a service no longer does what a dialect says. */
export interface Drift {
  /** Where: a switch such as `switches/list-order`, or a place in a response such as `listPages/body/total`. */
  readonly place: string;
  /** What the dialect says: an interpretation, a status, a placeholder or a type. */
  readonly expected: string;
  /** What the service does. */
  readonly found: string;
}

/** Every place where a service does not do what a dialect says; constants may have other values. */
export function compareDialect(file: DialectFile, seen: Readonly<Partial<Switches>>, observed: Observed): Drift[] {
  const { switches, answers } = resolveDialect(file);
  const shapes = readAnswers(answers);
  const drifts = new Map<string, Drift>();
  const add: Add = (place, expected, found) => {
    if (expected !== found && !drifts.has(place)) drifts.set(place, { place, expected, found });
  };
  for (const [id, reading] of Object.entries(seen)) add(`switches/${id}`, switches[id as keyof Switches], reading); // why: its own keys
  // Of a file that has no list of its own, nobody knows whether the pages were ever found.
  const isKnown = (name: string, { facts }: Observation) =>
    name !== "listPages" || file.answers?.listPages !== undefined || facts.list?.count !== 0;
  for (const [name, observations] of observed)
    for (const one of observations) if (isKnown(name, one)) compareResponse(name, shapeOf(shapes, name), one, add);
  const varies = file.varies ?? [];
  return [...drifts.values()].filter(({ place }) => !varies.some((known) => `${place}/`.startsWith(`${known}/`)));
}

type Add = (place: string, expected: string, found: string) => void;

/** What is compared, and where it stands. */
interface At {
  readonly facts: Facts;
  readonly pages: Observation["pages"];
  readonly place: string;
  readonly add: Add;
}

function shapeOf(shapes: AnswerShapes, name: string): AnswerShape {
  if (name === "emptyList" || name === "emptyAccount") return shapes[name];
  const [, error] = name.split("/");
  if (error === undefined) return shapes.endpoints[name as EndpointName]; // why: all others are those
  const status = error === "malformed" ? 400 : Number(error);
  const shape = error === "malformed" ? shapes.malformed : (shapes.errors.get(status) ?? shapes.error);
  return { ...shape, status: shape.status ?? status };
}

const kindNames = { json: "JSON", body: "JSON", text: "plain text", html: "HTML", none: "no body" };

function compareResponse(name: string, shape: AnswerShape, { exchange, facts, pages }: Observation, add: Add): void {
  const { status = 0, headers = {}, body = "" } = exchange.answer ?? {};
  add(`${name}/status`, String(shape.status), String(status));
  const expected = shape.body?.kind ?? "none";
  const found = body === "" ? "none" : kindOf(body);
  add(`${name}/body`, kindNames[expected], kindNames[found]);
  if (expected === "json" && found === "body" && shape.body)
    compareValue(shape.body.node, jsonOf(exchange), { place: `${name}/body`, facts, pages, add });
  const written = new Map(shape.headers.map(([header, node]) => [header.toLowerCase(), node]));
  for (const [header, node] of written) {
    const [expected, found = ""] = [renderText(node, facts), headers[header]];
    const isExact = header === "content-type" || header === "location" || expected === "" || found === "";
    if (isExact && expected !== found)
      add(`${name}/headers/${header}`, expected === "" ? "nothing" : writeNode(node), found || "nothing");
  }
  if (!written.has("location") && headers["location"] !== undefined)
    add(`${name}/headers/location`, "nothing", "a header");
}

function compareValue(node: TemplateNode, found: unknown, at: At): void {
  const { place, facts, add } = at;
  if (node.kind === "optional") {
    if (hasFilling(node, facts) || isObject(found)) compareValue(node.item, found, at);
    else add(place, "null", typeOf(found));
  } else if (node.kind === "object" && isObject(found)) compareFields(node.members, found, at);
  else if (node.kind === "array" && Array.isArray(found)) {
    const items = node.items.filter((item) => item.kind !== "optional" || hasFilling(item, facts));
    for (const [index, item] of items.entries())
      compareValue(item, found[index], { ...at, place: `${place}/${index}` });
  } else if (node.kind === "each" && (node.key === undefined ? Array.isArray(found) : isObject(found)))
    compareRepeated(node, entriesOf(found), at);
  else {
    const whole = node.kind === "placeholder" ? renderPlaceholder(node.name, node.formats, facts) : undefined;
    if (typeof whole === "object" && whole !== null && typeof found === "object")
      compareValue(nodeOf(whole), found, at);
    else if (isUnlike(node, found, facts)) add(place, writeNode(node), typeOf(found));
  }
}

function compareFields(
  members: (TemplateNode & { kind: "object" })["members"],
  found: Readonly<Record<string, unknown>>,
  at: At,
): void {
  const { facts, add } = at;
  const names = new Set<string>();
  for (const { name, isOptional, needs, value } of members) {
    // The fields of an object in place of a field: those of an update, which the service may not show.
    const inner = name === undefined && value.kind === "object" ? value.members : [];
    for (const member of inner) names.add(renderText(member.name ?? value, facts));
    if (name === undefined) continue;
    const key = renderText(name, facts);
    const place = `${at.place}/${key}`;
    names.add(key);
    // Only the response shows whether it names a field.
    const isDue = !isOptional || (hasFilling(needs ?? value, facts) && facts.error === undefined);
    if (Object.hasOwn(found, key)) compareValue(value, found[key], { ...at, place });
    else if (isDue) add(place, writeNode(value), "nothing");
  }
  for (const name of Object.keys(found))
    if (!names.has(name)) add(`${at.place}/${name}`, "nothing", typeOf(found[name]));
}

function compareRepeated(
  { of, key, item }: TemplateNode & { kind: "each" },
  found: readonly (readonly [string, unknown])[],
  at: At,
): void {
  const isPage = of === "page";
  const known = isPage ? at.pages?.map((page) => ({ ...at.facts, page })) : listSubjects(of, at.facts);
  const names = key === undefined ? [] : (known ?? []).map((facts) => renderText(key, facts));
  for (const [index, [name, value]] of found.entries()) {
    const facts = (known?.length === found.length ? known[index] : undefined) ?? at.facts;
    const place = `${at.place}/${key === undefined ? (isPage ? 0 : index) : writeNode(key)}`;
    if (isPage && facts.page === undefined) continue;
    if (key !== undefined && names.length > 0 && !names.includes(name)) at.add(place, writeNode(key), name);
    else compareValue(item, value, { ...at, facts, place });
  }
}

/** A value that a placeholder stands for as a whole, such as `{cta}`, as a template of its own. */
function nodeOf(value: unknown): TemplateNode {
  if (Array.isArray(value)) return { kind: "array", items: value.map(nodeOf) };
  if (!isObject(value)) return { kind: "constant", value: value as string }; // why: it is JSON
  const members = Object.entries(value).map(([name, inner]) => {
    return { name: nodeOf(name), isOptional: false, value: nodeOf(inner) };
  });
  return { kind: "object", members };
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
  const isUnknown = expected === null && /^(?:domain|alias|error|field)$/.test(placeholders[node.name].about);
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
