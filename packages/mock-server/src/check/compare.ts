// Compares what a service answers with what a dialect says that it does: each answer by itself, place by place.
import type { EndpointName, Switches } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type AnswerTemplates,
  type DialectFile,
  hasFilling,
  type Json,
  readAnswers,
  renderText,
  resolveDialect,
} from "@landing-page-service/contract/dialect";
import { type Exchange, plainJson } from "./exchange.ts";
import { type Look, match, matchBest } from "./match.ts";
import type { Sight } from "./samples.ts";
import type { Sights } from "./sights.ts";
import { mapTemplate, write } from "./telling.ts";
import { knowLists, knowListed, knowPages } from "./variants.ts";

/** One place where a service no longer does what a dialect says. */
export interface Drift {
  /** Where: a switch such as `switches/list-order`, or a place in an answer such as `listPages/body/total`. */
  readonly place: string;
  /** What the dialect says: a reading, a status, a hole or a type. */
  readonly expected: string;
  /** What the service does. */
  readonly found: string;
}

/** What was seen of a service: only this can be compared. */
export interface Seen {
  readonly switches: Readonly<Partial<Switches>>;
  readonly sights: Sights;
  /** The dialect that was learned. */
  readonly dialect: DialectFile;
}

/** Every place where what was seen of a service is not what a dialect says; constants may have other values. */
export function compareDialect(file: DialectFile, seen: Seen): Drift[] {
  const { switches, answers } = resolveDialect(file);
  const differing = Object.entries(seen.switches).filter(([id, reading]) => switches[id as keyof Switches] !== reading); // why: its own keys
  const drifts = differing.map(([id, reading]): Drift => {
    return { place: `switches/${id}`, expected: switches[id as keyof Switches], found: reading }; // why: as above
  });
  const expected = readAnswers(spellOut(answers));
  const found = readAnswers(spellOut(resolveDialect(seen.dialect).answers));
  const hasNumberIds = switches["page-id-type"] === "integer";
  const told = listHeard(seen.sights, file).flatMap(([name, sights]) => {
    const [shape, learned] = [shapeOf(expected, name), shapeOf(found, name)];
    const looks = sights.flatMap((sight) => matchAnswer({ name, shape, sight, hasNumberIds, all: seen.sights }));
    return sights.length === 0 ? [] : judge(looks).concat(compareHeaders(name, shape, learned));
  });
  const varies = file.varies ?? [];
  return [...drifts, ...told.filter(({ place }) => !varies.some((known) => `${place}/`.startsWith(`${known}/`)))];
}

/** The answers to each kind of request, by the name of their template. */
function listHeard(
  { answers, due, refusals }: Sights,
  file: DialectFile,
): (readonly [name: string, sights: readonly Sight[]])[] {
  // Of a file that has no list of its own, nobody knows whether the pages were ever found.
  const listPages = answers.listPages.length > 0 || file.answers?.listPages !== undefined ? due : [];
  const errors = refusals.map(({ name, sights }) => [`errors/${name}`, sights] as const);
  return [...Object.entries({ ...answers, listPages }), ...errors];
}

function shapeOf(shapes: AnswerShapes, name: string): AnswerShape {
  if (name === "emptyList" || name === "emptyAccount") return shapes[name];
  const [, error] = name.split("/");
  if (error === undefined) return shapes.endpoints[name as EndpointName]; // why: all others are those
  const status = error === "malformed" ? 400 : Number(error);
  const shape = error === "malformed" ? shapes.malformed : (shapes.errors.get(status) ?? shapes.error);
  return { ...shape, status: shape.status ?? status };
}

/** The call to action and the domains with their members, each of which may change by itself. */
function spellOut(answers: AnswerTemplates): AnswerTemplates {
  const template = JSON.parse(JSON.stringify(answers)) as Json; // why: templates are JSON
  const spelled = mapTemplate(template, (part) => {
    if (part === "{cta}") return { type: "{cta.type}", label: "{cta.label}", url: "{cta.url}" };
    return part === "{domains}" ? [{ name: "{domain.name}", url: "{domain.url}" }] : undefined;
  });
  return spelled as unknown as AnswerTemplates; // why: only holes are other ones
}

/** An answer, and what it should look like. */
interface Heard {
  readonly name: string;
  readonly shape: AnswerShape;
  readonly sight: Sight;
  readonly hasNumberIds: boolean;
  readonly all: Sights;
}

function matchAnswer({ name, shape, sight, hasNumberIds, all }: Heard): Look[] {
  const { exchange } = sight;
  const { status = 0, headers = {} } = exchange.answer ?? {};
  const around = [
    lookAt(`${name}/status`, String(shape.status), String(status)),
    lookAt(`${name}/body`, kindNames[shape.body?.kind ?? "none"], kindNames[kindOf(exchange)]),
  ];
  const hasPages = name === "listPages";
  const known = hasPages ? knowLists(sight.facts) : knowPages(all, sight.facts);
  const knowPage = (value: unknown) => knowListed(all, sight, value);
  return matchBest(sight.wanted === undefined ? known : [sight.wanted, sight.facts], (facts) => {
    const sent = shape.headers.flatMap(([written, node]): Look[] => {
      const header = written.toLowerCase();
      if (header === "content-type" || !hasFilling(node, facts) || renderText(node, facts) === "") return [];
      return [lookAt(`${name}/headers/${header}`, "a header", Object.hasOwn(headers, header) ? "a header" : "nothing")];
    });
    const body = shape.body?.kind === "json" && kindOf(exchange) === "json" ? shape.body.node : undefined;
    const at = { place: `${name}/body`, facts, hasNumberIds, hasPages, knowPage };
    return [...around, ...sent, ...(body === undefined ? [] : match(body, plainJson(exchange), at))];
  });
}

function lookAt(place: string, expected: string, found: string): Look {
  return expected === found ? { place, expected } : { place, expected, found };
}

const kindNames = { json: "JSON", text: "plain text", html: "HTML", none: "no body" };

function kindOf(exchange: Exchange): keyof typeof kindNames {
  const { body = "" } = exchange.answer ?? {};
  if (plainJson(exchange) !== undefined) return "json";
  return body === "" ? "none" : /^\s*</.test(body) ? "html" : "text";
}

/** What an answer tells in headers, in the words of a template. */
function compareHeaders(name: string, expected: AnswerShape, found: AnswerShape): Drift[] {
  const [before, after] = [writeHeaders(expected), writeHeaders(found)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((header): Drift[] => {
    const [was, is] = [before.get(header), after.get(header)];
    // Whether one is there at all, each answer has told.
    if (was === is || (is === undefined && header !== "content-type")) return [];
    return [{ place: `${name}/headers/${header}`, expected: was ?? "nothing", found: is ?? "nothing" }];
  });
}

function writeHeaders({ headers }: AnswerShape): ReadonlyMap<string, string> {
  return new Map(headers.map(([header, node]) => [header.toLowerCase(), write(node)]));
}

/** The places that are otherwise, now and then or always; where there is doubt, only what never is as it should be. */
function judge(looks: readonly Look[]): Drift[] {
  const drifts = new Map<string, Drift>();
  for (const all of Map.groupBy(looks, keyOf).values()) {
    const isNever = all.every(({ found, expected }) => found !== undefined && !isNothing(expected));
    const wrong = all.find(({ found, isDoubtful }) => found !== undefined && (isDoubtful === undefined || isNever));
    if (wrong?.found === undefined || drifts.has(wrong.place)) continue;
    drifts.set(wrong.place, { place: wrong.place, expected: wrong.expected, found: wrong.found });
  }
  return [...drifts.values()];
}

function isNothing(expected: string): boolean {
  return expected === "nothing" || expected === "null";
}

/** What ought to be nothing at one time is another matter than what ought to be something. */
function keyOf({ place, expected }: Look): string {
  return `${isNothing(expected) ? expected : "something"} at ${place}`;
}
