// Judges every documented statement by the observations of a check.
import { isDeepStrictEqual } from "node:util";
import { defaultListLimit, rateLimitHeaderNames, type StatementId } from "@landing-page-service/contract";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import type { Observed, ShownPage } from "./facts.ts";
import { listLeaves, mentions, valueAt } from "./json.ts";
import { listAt } from "./lists.ts";
import { createdBy, findElement } from "./pages.ts";
import type { ProbeName, Session } from "./probes.ts";
import type { SentPage } from "./sent-pages.ts";

/** Whether a statement is true of a service, as far as the check can observe. */
export type Verdict = "holds" | "broken" | "not observable";

/** A verdict or the name of an interpretation, the reason, and the evidence. */
export interface Finding<Result extends string = string> {
  /** `undefined` if the check did not observe it, or the interpretation has no name. */
  readonly result: Result | undefined;
  readonly note: string;
  readonly evidence: readonly Exchange[];
}

/** Makes a finding from a result and the exchanges that show it. */
export function found<Result extends string>(
  result: Result | undefined,
  note: string,
  ...evidence: (Exchange | undefined)[]
): Finding<Result> {
  return { result, note, evidence: [...new Set(evidence.filter((exchange) => exchange !== undefined))] };
}

/** Makes a finding without a result. */
export function notObserved(note: string, ...evidence: (Exchange | undefined)[]): Finding<never> {
  return found<never>(undefined, note, ...evidence);
}

/** Describes the outcome of a request. */
export function outcomeOf(exchange: Exchange | undefined): string {
  if (exchange?.answer !== undefined) return `returned ${exchange.answer.status}`;
  return exchange?.failure === undefined ? "was not tried" : `got no response (${exchange.failure})`;
}

/** What the check derived from the responses. */
export interface Derived {
  readonly observed: Observed;
  /** Reads the limit in the response to a list; `undefined` if there is none. */
  readonly readLimit: (exchange: Exchange | undefined) => number | undefined;
  /** Reads the status of a response, or that of the error that a success reports; 0 if there is none. */
  readonly readStatus: (exchange: Exchange | undefined) => number;
}

type Judgement = Finding<"holds" | "broken">;
type Judge = (session: Session, derived: Derived) => Judgement;

const holds = (note: string, ...evidence: (Exchange | undefined)[]) => found("holds" as const, note, ...evidence);
const broken = (note: string, ...evidence: (Exchange | undefined)[]) => found("broken" as const, note, ...evidence);

const endpoints = ["list", "create", "update", "delete", "event"] as const;
const noPage = "no page could be created and addressed";
const noList = "no list of two pages could be read";

/** The judge of each statement. */
export const judges: Record<StatementId, Judge> = {
  "page-identifier": judgeIdentifier,
  "list-own": judgeOwnPages,
  "list-no-foreign": judgeForeignPages,
  "list-limit": given("listOne", judgeLimit),
  "list-default-limit": judgeDefaultLimit,
  "list-offset": given("listNext", judgeOffset),
  "create-page": judgeFields("created", "create"),
  "create-no-domain": given("create", ({ probes }) => holds("created without a domain", probes.create)),
  "create-no-description": given("shortest", ({ probes }) => holds("created without a description", probes.shortest)),
  "update-changes-sent": judgeFields("sent", "updateTitle", "updateRest"),
  "update-keeps-unsent": judgeFields("unsent", "updateTitle", "updateRest"),
  "delete-permanent": given("delete", judgeDelete),
  "event-accepted": given("event", ({ probes }) => holds("accepted", probes.event)),
  "auth-bearer": ({ probes, listings: { made } }) => {
    const list = probes.list?.answer?.status === 404 ? made?.exchanges[0] : probes.list;
    return failureOf(list) ?? holds("the key was accepted", list);
  },
  "auth-missing": allReturn(401, ...endpoints.map((name) => `anonymous-${name}` as const)),
  "auth-invalid": allReturn(401, ...endpoints.map((name) => `wrongKey-${name}` as const)),
  "error-malformed": allReturn(400, "malformed-create", "malformed-update", "malformed-event"),
  "error-invalid": allReturn(400, "invalid-list", "invalid-create", "invalid-update", "invalid-event"),
  "error-not-found": (session, derived) => {
    const { delete: removed, updateDeleted } = session.probes;
    // Requests a deleted page, because a made-up identifier might be malformed.
    return hasSucceeded(removed) && derived.readStatus(updateDeleted) >= 300
      ? allReturn(404, "updateDeleted", "deleteDeleted")(session, derived)
      : notObserved("no page is known to be deleted", removed, updateDeleted);
  },
  "error-too-many": wasSeen(429, "the limit was not reached"),
  "error-server": wasSeen(500, "the service did not fail"),
  "rate-limit-headers": judgeRateLimitHeaders,
};

/** Makes a judge that needs the success of a probe. */
function given(name: ProbeName, judge: Judge): Judge {
  return (session, derived) => failureOf(session.probes[name]) ?? judge(session, derived);
}

/** The judgement of a request that should succeed; `undefined` if it did. */
function failureOf(exchange: Exchange | undefined): Judgement | undefined {
  if (exchange === undefined) return notObserved(noPage);
  return hasSucceeded(exchange) ? undefined : broken(tell(exchange), exchange);
}

/** Describes a request and its outcome. */
function tell(exchange: Exchange): string {
  return `${exchange.request.method} ${exchange.request.path} ${outcomeOf(exchange)}`;
}

function wasSeen(status: number, otherwise: string): Judge {
  return ({ exchanges }) => {
    const seen = exchanges.find(({ answer }) => answer?.status === status);
    return seen === undefined ? notObserved(otherwise) : holds(`a request returned ${status}`, seen);
  };
}

function allReturn(status: number, ...names: readonly ProbeName[]): Judge {
  return ({ probes }) => {
    const seen = names.flatMap((name) => probes[name] ?? []);
    if (seen.length === 0) return notObserved(noPage);
    const wrong = seen.filter(({ answer }) => answer?.status !== status);
    return wrong.length === 0
      ? holds(`${seen.length} of ${seen.length} returned ${status}`, ...seen)
      : broken(wrong.map(tell).join("; "), ...wrong);
  };
}

/** Judges whether the identifier in the response to a create works in paths. */
function judgeIdentifier({ probes: { create, updateTitle }, ids: { full }, idPlace, tried }: Session): Judgement {
  if (!hasSucceeded(create)) return notObserved(noPage, create);
  if (full === undefined) {
    const none = `none of ${tried.length} candidate values addresses the page`;
    const why = tried.length === 0 ? "no response shows the identifier" : none;
    return broken(`${why}, so no other page was created`, create, updateTitle);
  }
  const created = idPlace?.path[0] === "body" ? String(valueAt(createdBy(create), idPlace.path)) : full;
  return created === full || /^(?:\/|https?:)/.test(created)
    ? holds(`${full} addresses the page`, create, updateTitle)
    : broken(`${created}, from the response to a create, does not address the page; ${full} does`, create, updateTitle);
}

function judgeOwnPages(session: Session): Judgement {
  const { listings, ids, listPath } = session;
  const { made } = listings;
  if (made === undefined || ids.full === undefined) return notObserved(noPage);
  if (listPath === undefined && made.exchanges.some((exchange) => mentions(jsonOf(exchange), ids.full ?? "")))
    return notObserved("several arrays share the pages of a list, which a dialect cannot describe", ...made.exchanges);
  const missing = (["full", "shortest"] as const)
    .filter((name) => ids[name] !== undefined && !findElement(session, made, name))
    .map((name) => ids[name]);
  if (missing.length === 0) return holds("both created pages are listed", ...made.exchanges);
  return made.isWhole && listPath !== undefined
    ? broken(`not listed: ${missing.join(", ")}`, ...made.exchanges)
    : notObserved("the pages are not in the part of the list that the check read", ...made.exchanges);
}

function judgeForeignPages({ probes, sent }: Session, { readStatus }: Derived): Judgement {
  const { otherList, otherUpdate } = probes;
  if (otherList === undefined) return notObserved("needs the key of a second account");
  if (hasSucceeded(otherUpdate) && readStatus(otherUpdate) < 300)
    return broken("another account could change the page", otherUpdate);
  const json = hasSucceeded(otherList) ? jsonOf(otherList) : undefined;
  if (json === undefined) return notObserved("the other account's list cannot be read", otherList);
  const strings = [sent.full.slug, sent.title, sent.shortest.slug, sent.otherTitle];
  return strings.some((text) => mentions(json, text))
    ? broken("another account's list contains the page", otherList)
    : holds("another account neither lists nor changes the page", otherList, otherUpdate);
}

function judgeLimit({ probes: { listOne }, listPath, listings }: Session): Judgement {
  const { length } = listAt(jsonOf(listOne), listPath);
  if (listPath === undefined || (listings.made?.elements.length ?? 0) < 2) return notObserved(noList, listOne);
  return length === 1 ? holds("limit=1 returns one page", listOne) : broken(`limit=1 returns ${length} pages`, listOne);
}

function judgeDefaultLimit({ probes, listPath }: Session, { readLimit }: Derived): Judgement {
  const exchange = probes.listDefault ?? probes.list;
  const json = hasSucceeded(exchange) ? jsonOf(exchange) : undefined;
  if (json === undefined) return notObserved("the list cannot be read", exchange);
  const { length } = listAt(json, listPath);
  const limit = readLimit(exchange);
  if (length > defaultListLimit) return broken(`${length} pages without a limit`, exchange);
  if (limit !== undefined)
    return (limit === defaultListLimit ? holds : broken)(`the response shows limit ${limit}`, exchange);
  return probes.listDefault === undefined
    ? notObserved("needs a thorough check, which creates 21 pages", exchange)
    : holds(`${length} pages without a limit, and there are more`, exchange);
}

function judgeOffset({ probes: { listOne, listNext }, listPath, listings }: Session): Judgement {
  const [[first], [next]] = [listAt(jsonOf(listOne), listPath), listAt(jsonOf(listNext), listPath)];
  if (first === undefined || (listings.made?.elements.length ?? 0) < 2) return notObserved(noList, listOne, listNext);
  if (next === undefined) return broken("offset=1 returns no page, although there are more", listOne, listNext);
  return isDeepStrictEqual(first, next)
    ? broken("offset=1 returns the same page as offset=0", listOne, listNext)
    : holds("offset=1 returns the next page", listOne, listNext);
}

const faults = { created: "not as sent", sent: "did not change", unsent: "changed" };
const successes = {
  created: "the page has the fields as sent",
  sent: "all five fields changed when sent",
  unsent: "all five fields did not change when not sent",
};

/** Judges whether responses show the correct values of the fields that a write sent, or of the fields that it did not send. */
function judgeFields(which: keyof typeof faults, ...writes: readonly ProbeName[]): Judge {
  return ({ probes, sent }, { observed }) => {
    const exchanges = writes.map((name) => probes[name]);
    const [failure] = exchanges.flatMap((exchange) => failureOf(exchange) ?? []);
    if (failure !== undefined) return which === "unsent" ? notObserved(failure.note, ...failure.evidence) : failure;
    const evidence: Exchange[] = [];
    const altered = new Map<string, string>();
    for (const shown of shownIn.flatMap((name) => observed.get(name) ?? []).flatMap(({ pages }) => pages)) {
      const isCreated = fieldNames.every((name) => name in shown.sent);
      if (shown.name !== "full" || isCreated !== (which === "created")) continue;
      const names = fieldNames.filter((name) => name in shown.sent === (which !== "unsent"));
      const others = [sent.full, sent.rest, { title: sent.title }];
      const results = names.map((name) => [name, isShown(name, shown, others)] as const);
      const wrong = results.flatMap(([name, right]) => (right === false ? [name] : []));
      for (const [name, right] of results) if (typeof right === "string") altered.set(name, right);
      const what = which === "created" ? "" : `after an update of ${Object.keys(shown.sent).join(", ")}: `;
      if (wrong.length > 0) return broken(`${what}${wrong.join(", ")} ${faults[which]}`, ...exchanges, shown.exchange);
      if (results.some(([, right]) => right)) evidence.push(shown.exchange);
    }
    if (evidence.length === 0) return notObserved("no response shows the page's fields", probes.create);
    const forms = which === "created" ? [...altered] : [];
    const notes = forms.map(([name, text]) => `; ${name} ${inOtherForm}: ${JSON.stringify(text)}`);
    return holds(successes[which] + notes.join(""), ...exchanges, ...evidence);
  };
}

/** Part of the note of a statement that holds although the service changes how a field is written. */
export const inOtherForm = "is stored in another form";

const fieldNames = ["title", "content", "slug", "meta_description", "cta"] as const;
const shownIn = ["createPage", "updatePage", "listPages"] as const;

/**
 * Whether a response shows a field of a page as it should be; `undefined` if it does not show the field. If a field of that name has the same
 * words in another form, such as HTML, returns the text. The field is wrong if the response shows another version of it, or something else under its name.
 */
function isShown(
  name: keyof SentPage,
  { value, page }: ShownPage,
  others: readonly Partial<SentPage>[],
): boolean | string | undefined {
  const leaves = listLeaves(value);
  const [right, wrong] = [stringsOf(page[name]), others.flatMap((other) => stringsOf(other[name]))];
  if (leaves.some(({ text }) => right.includes(text))) return true;
  const own = leaves.filter(({ path }) => path.includes(name));
  const altered = own.find(({ text }) => right.some((one) => wordsOf(text).includes(wordsOf(one))));
  if (altered !== undefined) return altered.text;
  return own.length > 0 || leaves.some(({ text }) => wrong.includes(text)) ? false : undefined;
}

/** The words of a text without its markup. */
function wordsOf(text: string): string {
  const plain = text.replaceAll(/<[^>]*>|&#?\w+;/g, " ").toLowerCase();
  return ` ${plain.match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? ""} `;
}

/** The strings in a field, without the constant `cta.type`. */
function stringsOf(field: unknown): string[] {
  return listLeaves(field).flatMap(({ text }) => (text === "button" ? [] : [text]));
}

function judgeDelete(session: Session, { readStatus }: Derived): Judgement {
  const { probes, listings } = session;
  const { delete: removed, updateDeleted } = probes;
  if (hasSucceeded(updateDeleted) && readStatus(updateDeleted) < 300)
    return broken(`an update of the deleted page ${outcomeOf(updateDeleted)}`, removed, updateDeleted);
  const { deleted } = listings;
  return findElement(session, deleted, "shortest")
    ? broken("the deleted page is still listed", removed, ...(deleted?.exchanges ?? []))
    : holds("the deleted page is neither found nor listed", removed, updateDeleted);
}

function judgeRateLimitHeaders({ exchanges }: Session): Judgement {
  const names = Object.values(rateLimitHeaderNames);
  const listMissing = ({ answer }: Exchange) =>
    names.filter((name) => !/^\d+$/.test(answer?.headers[name.toLowerCase()] ?? ""));
  const byStatus = Map.groupBy(exchanges, ({ answer }) => answer?.status ?? 0);
  byStatus.delete(0);
  // One exchange for each status is evidence enough.
  const seen = [...byStatus].toSorted(([one], [other]) => one - other);
  const wrong = seen.flatMap(([, all]) => all.find((exchange) => listMissing(exchange).length > 0) ?? []);
  const notes = wrong.map((one) => `${one.answer?.status} without an integer ${listMissing(one).join(", ")}`);
  if (wrong.length > 0) return broken(notes.join("; "), ...wrong);
  const count = exchanges.filter(({ answer }) => answer !== undefined).length;
  const note = `on all ${count} responses: ${seen.map(([status]) => status).join(", ")}`;
  return holds(note, ...seen.map(([, [first]]) => first));
}
