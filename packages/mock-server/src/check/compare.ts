// Compares how a service speaks with how a dialect says it does.
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type DialectFile,
  formats,
  type Hole,
  holes,
  type Json,
  resolveDialect,
} from "@landing-page-service/contract/dialect";
import { isObject } from "@landing-page-service/contract";
import { holeIn, repeated, speaksOf } from "./telling.ts";
import type { Switches } from "@landing-page-service/contract";

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
  readonly answers: Readonly<Partial<AnswerTemplates>>;
  /** An answer to a list in which none of the pages is found that were made. */
  readonly listWithout?: AnswerTemplate | undefined;
  /** Statuses of the answers that came. */
  readonly statuses: ReadonlySet<number | undefined>;
}

/** Every place where what was seen of a service is not what a dialect says; constants may have other values. */
export function compareDialect(file: DialectFile, seen: Seen): Drift[] {
  const { switches, answers } = resolveDialect(file);
  const differing = Object.entries(seen.switches).filter(([id, reading]) => switches[id as keyof Switches] !== reading); // why: its own keys
  const drifts = differing.map(([id, reading]): Drift => {
    return { place: `switches/${id}`, expected: switches[id as keyof Switches], found: reading }; // why: as above
  });
  const context = { expected: answers, found: seen.answers, idType: switches["page-id-type"] };
  for (const name of ["createPage", "listPages", "emptyList", "updatePage", "deletePage", "trackEvent"] as const)
    drifts.push(...compareAnswer(name, answers[name], seen.answers[name], context));
  // Of a file that has no list of its own, nobody knows whether the pages were ever found.
  if (seen.answers.listPages === undefined)
    drifts.push(...compareAnswer("listPages", file.answers?.listPages, seen.listWithout, context));
  for (const status of ["400", "401", "404", "409", "429", "500"]) {
    const found = seen.answers.errors?.[status] ?? (seen.answers.error && errorsSeen(seen, status));
    drifts.push(...compareAnswer(`errors/${status}`, answers.errors?.[status] ?? answers.error, found, context));
  }
  const told = [answers, seen.answers].map(({ errors }) => errors?.["malformed"] ?? errors?.["400"]);
  if ([answers, seen.answers].some(({ errors }) => errors?.["malformed"] !== undefined))
    drifts.push(...compareAnswer("errors/malformed", told[0] ?? answers.error, told[1] ?? seen.answers.error, context));
  return drifts;
}

/** One template for all errors stands for those that were seen; a file may know more of the others. */
function errorsSeen({ answers, statuses }: Seen, status: string): AnswerTemplate | undefined {
  return ["400", "401", "404"].includes(status) || statuses.has(Number(status)) ? answers.error : undefined;
}

interface Context {
  readonly expected: Readonly<Partial<AnswerTemplates>>;
  readonly found: Readonly<Partial<AnswerTemplates>>;
  readonly idType: Switches["page-id-type"];
}

function compareAnswer(
  place: string,
  expected: AnswerTemplate | undefined,
  found: AnswerTemplate | undefined,
  context: Context,
): Drift[] {
  if (expected === undefined || found === undefined) return [];
  const statuses = [expected.status, found.status].map((status) => String(status ?? "as usual"));
  const [before = "", after = ""] = statuses;
  const drifts: Drift[] = before === after ? [] : [{ place: `${place}/status`, expected: before, found: after }];
  const names = new Set(
    [...Object.keys(expected.headers ?? {}), ...Object.keys(found.headers ?? {})].map((name) => name.toLowerCase()),
  );
  for (const name of names) {
    const [was, is] = [headerOf(expected, name), headerOf(found, name)];
    if (was === is) continue;
    drifts.push({ place: `${place}/headers/${name}`, expected: was ?? "nothing", found: is ?? "nothing" });
  }
  const [one, other] = [kindOf(expected), kindOf(found)];
  if (one !== other) return [...drifts, { place: `${place}/body`, expected: one, found: other }];
  if (expected.body === undefined || found.body === undefined) return drifts;
  return [...drifts, ...compareJson(`${place}/body`, expected.body, found.body, context)];
}

function headerOf({ headers = {} }: AnswerTemplate, name: string): string | undefined {
  return Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
}

function kindOf({ body, text, html }: AnswerTemplate): string {
  if (body !== undefined) return "JSON";
  if (text !== undefined) return "plain text";
  return html === undefined ? "no body" : "HTML";
}

function compareJson(place: string, expected: Json, found: Json, context: Context): Drift[] {
  const one = expand(expected, context.expected);
  const other = expand(found, context.found);
  if (Array.isArray(one) && Array.isArray(other)) {
    // Of what repeats, there may be another number the next time.
    const isEach = [one, other].some((items) => items.length === 1 && speaksOf(items, ...repeated));
    const lengths = [one.length, other.length];
    const length = lengths.includes(0) ? 0 : isEach ? 1 : Math.max(...lengths);
    return Array.from({ length }, (_, at) => compareItem(`${place}/${at}`, one[at], other[at], context)).flat();
  }
  if (isObject(one) && isObject(other)) {
    const [before, after] = [membersOf(one), membersOf(other)];
    const [key, otherKey] = [keyOf(before), keyOf(after)];
    if (key !== undefined && otherKey !== undefined && key !== otherKey)
      return [
        { place: `${place}/${key}`, expected: `members named ${key}`, found: `members named ${otherKey}` },
        ...compareJson(`${place}/${key}`, before.get(key) ?? null, after.get(otherKey) ?? null, context),
      ];
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
      const [was, is] = [before.get(name), after.get(name)];
      if (was !== undefined && is !== undefined) return compareJson(`${place}/${name}`, was, is, context);
      return [{ place: `${place}/${name}`, expected: describe(was, context), found: describe(is, context) }];
    });
  }
  const [was, is] = [describe(one, context), describe(other, context)];
  return typeOf(one, context) === typeOf(other, context) && !areOtherHoles(one, other)
    ? []
    : [{ place, expected: was, found: is }];
}

/** Of what is always the same, such as tags, there may be more or fewer the next time. */
function compareItem(place: string, was: Json | undefined, is: Json | undefined, context: Context): Drift[] {
  if (was !== undefined && is !== undefined) return compareJson(place, was, is, context);
  const isConstant = !/\{[a-z_]/i.test(JSON.stringify(was ?? is));
  return isConstant ? [] : [{ place, expected: describe(was, context), found: describe(is, context) }];
}

function expand(template: Json, { page, listedPage }: Readonly<Partial<AnswerTemplates>>): Json {
  const named = template === "{listedPage}" ? listedPage : template;
  const whole = (named === "{page}" ? page : named) ?? template;
  if (whole === "{cta}") return { type: "{cta.type}", label: "{cta.label}", url: "{cta.url}" };
  if (whole === "{domains}") return [{ name: "{domain.name}", url: "{domain.url}" }];
  // Whether an item may be left out is no drift.
  const [only, ...others] = isObject(whole) ? Object.entries(whole) : [];
  return only?.[0].startsWith("...?") === true && others.length === 0 ? only[1] : whole;
}

/** Members by name; whether one may be left out is no drift. */
function membersOf(template: Readonly<Record<string, unknown>>): Map<string, Json> {
  const entries = Object.entries(template) as [string, Json][]; // why: it is a part of a template
  return new Map(entries.map(([name, value]) => [name.replace(/(?<!\?)\?[\w.]*$/, ""), value]));
}

/** The name of the members of a map: it has a hole, and there is no other. */
function keyOf(members: ReadonlyMap<string, Json>): string | undefined {
  const [key, ...others] = members.keys();
  return key?.includes("{") === true && others.length === 0 ? key : undefined;
}

/** Moments and sentences are alike wherever they come from. */
function areOtherHoles(one: Json, other: Json): boolean {
  const [was, is] = [holeIn(one)?.name, holeIn(other)?.name];
  if (was === undefined || is === undefined || was === is) return false;
  return ![was, is].every((name) => /_at$|^now$|timestamp|detail|^changes\./.test(name));
}

function typeOf(template: Json, { idType }: Context): string {
  const hole = holeIn(template);
  if (hole === undefined) return template === null ? "null" : Array.isArray(template) ? "array" : typeof template;
  const format = hole.formats.at(-1);
  if (format !== undefined) return formats[format].type === "string" ? "string" : "number";
  if (hole.name === "id") return idType === "integer" ? "number" : "string";
  const { type }: Hole["schema"] = holes[hole.name].schema;
  const [name] = [type].flat();
  return name === "integer" ? "number" : typeof name === "string" ? name : "string";
}

function describe(template: Json | undefined, context: Context): string {
  if (template === undefined) return "nothing";
  const type = typeOf(template, context);
  if (type === "array" || type === "object" || type === "null") return type === "null" ? type : `an ${type}`;
  return holeIn(template) === undefined ? `a constant ${type}` : `${JSON.stringify(template)}, a ${type}`;
}
