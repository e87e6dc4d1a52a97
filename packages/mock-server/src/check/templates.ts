// Combines the learned templates into the templates of a dialect.
import { isDeepStrictEqual } from "node:util";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type DialectFile,
  type Json,
  referenceDialect,
} from "@landing-page-service/contract/dialect";
import { jsonOf } from "./client.ts";
import { replay } from "./compare.ts";
import type { Observed, ResponseName } from "./facts.ts";
import { entriesOf, type Path, valueAt } from "./json.ts";
import { learnResponse, learnResponses, listShared, type Responses, subjectsOf } from "./responses.ts";

/** The learned templates, and the values that no fact explains. */
export interface Learned {
  /** All learned templates. */
  readonly all: Partial<AnswerTemplates>;
  /** The learned templates that differ from the reference dialect. */
  readonly answers: Partial<AnswerTemplates>;
  /** Values that no fact explains, by their path in the dialect. */
  readonly unexplained: ReadonlyMap<string, unknown>;
}

/** Learns a template from each kind of response. `listPath` is the path of the array or object with the pages of a list. */
export function learnTemplates(observed: Observed, listPath: Path | undefined): Learned {
  const unexplained = new Map<string, unknown>();
  const createdPath = findRecord(learnResponses(observed, { listPath }).templates.get("createPage")?.body);
  const start = createdPath && ["createPage/body", ...createdPath].join("/");
  const note = (place: string, value: unknown): void => {
    const isPage = start !== undefined && `${place}/`.startsWith(`${start}/`);
    const named = isPage ? `page${place.slice(start.length)}` : place;
    if (!unexplained.has(named)) unexplained.set(named, value);
  };
  const learned = learnResponses(observed, { listPath, note });
  const { templates, listedPage } = learned;
  const [list] = observed.get("listPages") ?? [];
  if (listedPage === undefined && list !== undefined)
    unexplained.set("listPages/body", jsonOf(list.exchange) ?? list.exchange.answer?.body);
  const page = createdPath ? (valueAt(templates.get("createPage")?.body, createdPath) as Json) : listedPage; // why: a part of JSON
  const name = (template: AnswerTemplate | undefined, part: Json | undefined, by: string) =>
    template?.body === undefined ? template : { ...template, body: replace(template.body, part, by) };
  const nameIn = (endpoint: ResponseName) => name(templates.get(endpoint), page, "{page}");
  const found = {
    page,
    listedPage: listedPage && replace(listedPage, page, "{page}"),
    ...(listedPage !== undefined && learnLists(observed, learned, (list) => name(list, listedPage, "{listedPage}"))),
    createPage: nameIn("createPage"),
    updatePage: nameIn("updatePage"),
    deletePage: nameIn("deletePage"),
    trackEvent: nameIn("trackEvent"),
    ...learnErrors(observed, learned),
  };
  const entries = Object.entries(found).filter(([, template]) => template !== undefined);
  const known = new Map<string, unknown>(Object.entries(referenceDialect.answers));
  return {
    all: Object.fromEntries(entries),
    answers: Object.fromEntries(entries.filter(([name, template]) => !isDeepStrictEqual(template, known.get(name)))),
    unexplained,
  };
}

/** Replaces every part of a template that equals `part`. */
function replace(template: Json, part: Json | undefined, by: Json): Json {
  if (isDeepStrictEqual(template, part)) return by;
  if (Array.isArray(template)) return template.map((item) => replace(item, part, by));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, replace(inner, part, by)]));
}

/** The path of the smallest part of a template that contains all its page placeholders. */
function findRecord(template: Json | undefined): Path | undefined {
  const most = countFields(template);
  if (most < 2 || typeof template !== "object") return undefined;
  const descend = (part: unknown): Path => {
    const next = entriesOf(part).find(([, inner]) => typeof inner === "object" && countFields(inner) === most);
    return next === undefined ? [] : [next[0], ...descend(next[1])];
  };
  return descend(template);
}

function countFields(part: unknown): number {
  return new Set(JSON.stringify(part ?? null).match(/"\{(?:id|title|content|slug|cta)[^"]*\}"/g)).size;
}

/** Learns the template of a list, and those of empty lists if they differ from it. */
function learnLists(
  observed: Observed,
  { templates, listedPage = null }: Responses,
  name: (list: AnswerTemplate | undefined) => AnswerTemplate | undefined,
): Pick<Partial<AnswerTemplates>, "listPages" | "emptyList" | "emptyAccount"> {
  const listPages = name(templates.get("listPages"));
  const lists: DialectFile["answers"] = { listedPage, ...(listPages && { listPages }) };
  for (const empty of ["emptyList", "emptyAccount"] as const) {
    const template = templates.get(empty);
    const same = learnResponses(replay(pick(observed, empty), { answers: lists }), { listPath: undefined });
    if (template && !isDeepStrictEqual(same.templates.get(empty), template))
      Object.assign(lists, { [empty]: template });
  }
  const { listedPage: _, ...others } = lists;
  return others;
}

function pick(observed: Observed, ...names: readonly ResponseName[]): Observed {
  return new Map(names.map((name) => [name, observed.get(name) ?? []]));
}

/** Learns one template for all errors if one fits, or else a common template and the exceptions by status. */
function learnErrors(observed: Observed, { templates }: Responses): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const names = [...templates.keys()].filter((name) => name.startsWith("errors/"));
  const shared = listShared(observed);
  /** Whether these templates render an error differently from the service. */
  const isOther = (name: ResponseName, answers: NonNullable<DialectFile["answers"]>, isJoined = false): boolean => {
    const written = learnResponses(replay(pick(observed, name), { answers }), {
      listPath: undefined,
      shared,
    }).templates;
    // A sentence in all errors of one status looks like constant HTML. Only errors of other statuses show that it is an error message.
    const toShape = (template: AnswerTemplate = {}) =>
      isJoined ? { ...template, html: typeof template.html, text: typeof template.text } : template;
    return !isDeepStrictEqual(toShape(written.get(name)), toShape(templates.get(name)));
  };
  /** The template of one error, without its status if that is the default. */
  const ownTemplate = (name: ResponseName): AnswerTemplate => {
    const { status, ...template } = templates.get(name) ?? {};
    const isDefault = status === (name === "errors/malformed" ? 400 : Number(keyOf(name)));
    return isDefault || status === undefined ? template : { status, ...template };
  };
  /** One template that fits several errors, if there is one. */
  const join = ([first, ...others]: readonly ResponseName[]): AnswerTemplate | undefined => {
    if (first === undefined) return undefined;
    const notes: string[] = [];
    const note = (path: string): void => void notes.push(path);
    const all = [first, ...others].flatMap((name) => observed.get(name) ?? []);
    const { status: _, ...joined } =
      learnResponse(all, { path: "error", name: "", subjects: subjectsOf(first), note, shared }) ?? {};
    const { status } = ownTemplate(first);
    const error = { ...(status !== undefined && { status }), ...joined };
    return notes.length === 0 && [first, ...others].every((name) => !isOther(name, { error }, true))
      ? error
      : undefined;
  };
  const one = join(names);
  if (one !== undefined) return { error: one };
  // The error for a body that is not JSON may have the same template as the error for a wrong field.
  const refusals = names.filter((name) => name === "errors/400" || name === "errors/malformed");
  const refusal = join(refusals);
  const templateOf = (name: ResponseName) => (refusals.some((one) => one === name) && refusal) || ownTemplate(name);
  const dialects = names.map((usual) => {
    const error = templateOf(usual);
    const errors: { [status: string]: AnswerTemplate } = {};
    for (const name of names)
      if (name !== usual && isOther(name, { error, errors })) errors[keyOf(name)] = templateOf(name);
    const others = Object.keys(errors).filter((name) => name !== "malformed").length;
    const blames = /\{error\.(?:field|pointer)/.test(JSON.stringify(error)) ? 1 : 0;
    return { rank: others * 2 + blames, answers: { error, ...(Object.keys(errors).length > 0 && { errors }) } };
  });
  return dialects.toSorted((one, other) => one.rank - other.rank)[0]?.answers ?? {};
}

/** The key of an error in a dialect. */
function keyOf(name: ResponseName): string {
  return name.slice("errors/".length);
}
