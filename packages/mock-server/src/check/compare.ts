// Compares what a service answers with what a dialect says that it does: each answer by itself, place by place.
import { endpoints, isObject, type Switches } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type AnswerTemplates,
  type DialectFile,
  type Facts,
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
import { write } from "./telling.ts";
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
  const [expected, found] = [readShapes(answers), readShapes(resolveDialect(seen.dialect).answers)];
  const hasNumberIds = switches["page-id-type"] === "integer";
  const told = listHeard(seen.sights, file).flatMap((one) => {
    const looks = one.sights.flatMap((sight) => matchAnswer(one, expected, sight, hasNumberIds));
    return judge(looks).concat(compareHeaders(one, expected, found));
  });
  const varies = file.varies ?? [];
  return [...drifts, ...told.filter(({ place }) => !varies.some((known) => `${place}/`.startsWith(`${known}/`)))];
}

function readShapes(answers: AnswerTemplates): AnswerShapes {
  return readAnswers(spellOut(answers));
}

/** The answers to one kind of request. */
interface Heard {
  readonly name: string;
  /** The status where a template names none. */
  readonly usual: number;
  readonly shape: (shapes: AnswerShapes) => AnswerShape;
  readonly sights: readonly Sight[];
  /** What may be known of an answer, the likeliest first. */
  readonly know: (sight: Sight) => readonly Facts[];
  readonly hasPages?: true;
  readonly knowPage?: (sight: Sight) => (value: unknown) => readonly Facts[];
}

function listHeard(sights: Sights, file: DialectFile): Heard[] {
  const { pages, lists, due, past, account, refusals } = sights;
  const usual = endpoints.listPages.success.status;
  const about = (["createPage", "updatePage", "deletePage", "trackEvent"] as const).map((name): Heard => {
    const { status } = endpoints[name].success;
    return {
      name,
      usual: status,
      shape: ({ endpoints: all }) => all[name],
      sights: pages[name],
      know: ({ facts }) => knowPages(sights, facts),
    };
  });
  // Nothing follows an empty list.
  const empty = { usual, know: ({ facts }: Sight) => [facts] };
  const errors = refusals.map(({ names: [name = ""], sights: all }): Heard => {
    const [isMalformed, status] = [name === "malformed", Number(name)];
    return {
      name: `errors/${name}`,
      usual: isMalformed ? 400 : status,
      shape: ({ errors: known, error, malformed }) => (isMalformed ? malformed : (known.get(status) ?? error)),
      sights: all,
      know: ({ facts, wanted }) => (wanted === undefined ? [facts] : [wanted, facts]),
    };
  });
  return [
    ...about,
    {
      name: "listPages",
      usual,
      shape: (shapes) => shapes.endpoints.listPages,
      // Of a file that has no list of its own, nobody knows whether the pages were ever found.
      sights: lists.length > 0 || file.answers?.listPages !== undefined ? due : [],
      know: ({ facts }) => knowLists(facts),
      hasPages: true,
      knowPage: (sight) => (value) => knowListed(sights, sight, value),
    },
    { ...empty, name: "emptyList", shape: ({ emptyList }) => emptyList, sights: past },
    { ...empty, name: "emptyAccount", shape: ({ emptyAccount }) => emptyAccount, sights: account },
    ...errors,
  ];
}

/** The call to action and the domains with their members, each of which may change by itself. */
function spellOut(answers: AnswerTemplates): AnswerTemplates {
  const spellIn = (template: unknown): Json => {
    if (template === "{cta}") return { type: "{cta.type}", label: "{cta.label}", url: "{cta.url}" };
    if (template === "{domains}") return [{ name: "{domain.name}", url: "{domain.url}" }];
    if (Array.isArray(template)) return template.map(spellIn);
    if (!isObject(template)) return template as Json; // why: it is a part of a template
    const entries = Object.entries(template).filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries.map(([name, value]) => [name, spellIn(value)]));
  };
  return spellIn(answers) as unknown as AnswerTemplates; // why: only holes are other ones
}

function matchAnswer(heard: Heard, shapes: AnswerShapes, sight: Sight, hasNumberIds: boolean): Look[] {
  const { name, usual, hasPages = false } = heard;
  const [shape, { exchange }] = [heard.shape(shapes), sight];
  const { status = 0, headers = {} } = exchange.answer ?? {};
  const around = [
    lookAt(`${name}/status`, String(shape.status ?? usual), String(status)),
    lookAt(`${name}/body`, kindNames[shape.body?.kind ?? "none"], kindNames[kindOf(exchange)]),
  ];
  const knowPage = heard.knowPage?.(sight) ?? (() => []);
  return matchBest(heard.know(sight), (facts) => {
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
function compareHeaders({ name, shape, sights }: Heard, expected: AnswerShapes, found: AnswerShapes): Drift[] {
  if (sights.length === 0) return [];
  const [before, after] = [expected, found].map((shapes) => {
    return new Map(shape(shapes).headers.map(([header, node]) => [header.toLowerCase(), write(node)]));
  });
  const headers = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  return [...headers].flatMap((header): Drift[] => {
    const [was, is] = [before?.get(header), after?.get(header)];
    // Whether one is there at all, each answer has told.
    if (was === is || (is === undefined && header !== "content-type")) return [];
    return [{ place: `${name}/headers/${header}`, expected: was ?? "nothing", found: is ?? "nothing" }];
  });
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
