// Judges every documented statement by what a check observed.
import { defaultListLimit, rateLimitHeaderNames, type StatementId } from "@landing-page-service/contract";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { listLeaves, mentions, valueAt } from "./json.ts";
import { findElement, findList, listAt, type Listing, readElementId } from "./pages.ts";
import type { ProbeName, SentPage, Session } from "./probes.ts";

/** Whether a statement is true of a service, as far as can be seen. */
export type Verdict = "holds" | "broken" | "not observable";

/** A verdict or the name of an interpretation, the reason, and the evidence. */
export interface Finding<Result extends string = string> {
  /** `undefined` when nothing showed it, or it was none of those that have a name. */
  readonly result: Result | undefined;
  readonly note: string;
  readonly evidence: readonly Exchange[];
}

/** A result, and the exchanges that show it. */
export function found<Result extends string>(
  result: Result | undefined,
  note: string,
  ...evidence: (Exchange | undefined)[]
): Finding<Result> {
  return { result, note, evidence: [...new Set(evidence.filter((exchange) => exchange !== undefined))] };
}

/** A question that the check could not answer. */
export function unseen(note: string, ...evidence: (Exchange | undefined)[]): Finding<never> {
  return found<never>(undefined, note, ...evidence);
}

/** The outcome of a request, in words. */
export function answered(exchange: Exchange | undefined): string {
  if (exchange?.answer !== undefined) return `answered ${exchange.answer.status}`;
  return exchange?.failure === undefined ? "was not tried" : `was not answered (${exchange.failure})`;
}

/** Reads the limit in the response to a list; `undefined` if there is none. */
export type ReadLimit = (exchange: Exchange | undefined) => number | undefined;

type Judgement = Finding<"holds" | "broken">;
type Judge = (session: Session, readLimit: ReadLimit) => Judgement;

const holds = (note: string, ...evidence: (Exchange | undefined)[]) => found("holds" as const, note, ...evidence);
const broken = (note: string, ...evidence: (Exchange | undefined)[]) => found("broken" as const, note, ...evidence);

const endpoints = ["list", "create", "update", "delete", "event"] as const;

/** How each statement is judged. */
export const judges: Record<StatementId, Judge> = {
  "page-identifier": judgeIdentifier,
  "list-own": judgeOwnPages,
  "list-no-foreign": judgeForeignPages,
  "list-limit": judgeLimit,
  "list-default-limit": judgeDefaultLimit,
  "list-offset": judgeOffset,
  "create-page": (session) => judgeFields(session, "created"),
  "create-no-domain": succeeds("create", "made without naming a domain"),
  "create-no-description": succeeds("shortest", "made without a description"),
  "update-changes-sent": (session) => judgeFields(session, "sent"),
  "update-keeps-unsent": (session) => judgeFields(session, "unsent"),
  "delete-permanent": judgeDelete,
  "event-accepted": succeeds("event", "taken"),
  "auth-bearer": ({ probes: { list }, listings: { made } }) =>
    judgeSuccess(list?.answer?.status === 404 ? made?.exchanges[0] : list, "let in"),
  "auth-missing": allAnswer(401, ...endpoints.map((name) => `anonymous-${name}` as const)),
  "auth-invalid": allAnswer(401, ...endpoints.map((name) => `wrongKey-${name}` as const)),
  "error-malformed": allAnswer(400, "malformed-create", "malformed-update", "malformed-event"),
  "error-invalid": allAnswer(400, "invalid-list", "invalid-create", "invalid-update", "invalid-event"),
  "error-not-found": (session, readLimit) => {
    const { delete: removed, updateDeleted } = session.probes;
    // Requests a page that is known to be deleted, because a made-up identifier might be malformed.
    return hasSucceeded(removed) && !hasSucceeded(updateDeleted)
      ? allAnswer(404, "updateDeleted", "deleteDeleted")(session, readLimit)
      : unseen("no page is known to be gone", removed, updateDeleted);
  },
  "error-too-many": wasSeen(429, "the limit was not reached"),
  "error-server": wasSeen(500, "the service did not fail"),
  "rate-limit-headers": judgeRateLimitHeaders,
};

function succeeds(name: ProbeName, note: string): Judge {
  return ({ probes }) => judgeSuccess(probes[name], note);
}

function judgeSuccess(exchange: Exchange | undefined, note: string): Judgement {
  if (exchange === undefined) return unseen("no page could be made");
  return hasSucceeded(exchange) ? holds(note, exchange) : broken(answered(exchange), exchange);
}

function wasSeen(status: number, otherwise: string): Judge {
  return ({ exchanges }) => {
    const seen = exchanges.find(({ answer }) => answer?.status === status);
    return seen === undefined ? unseen(otherwise) : holds(`answered ${status}`, seen);
  };
}

function allAnswer(status: number, ...names: readonly ProbeName[]): Judge {
  return ({ probes }) => {
    const seen = names.map((name) => probes[name]).filter((exchange) => exchange !== undefined);
    if (seen.length === 0) return unseen("no page could be made");
    const wrong = seen.filter(({ answer }) => answer?.status !== status);
    if (wrong.length === 0) return holds(`${seen.length} of ${seen.length} answered ${status}`, ...seen);
    const notes = wrong.map((one) => `${one.request.method} ${one.request.path} ${answered(one)}`);
    return broken(notes.join("; "), ...wrong);
  };
}

/** Whether the identifier from the create works in paths. */
function judgeIdentifier({ probes, ids: { full }, idPlace, tried }: Session): Judgement {
  const { create, updateTitle } = probes;
  if (!hasSucceeded(create)) return unseen("no page could be made", create);
  if (full === undefined) {
    if (tried.length === 0) return broken("no response shows its identifier, so no other was made", create);
    const note = `none of ${tried.length} values that differ addresses the page, so no other was made`;
    return broken(note, create, updateTitle);
  }
  const created = idPlace?.from === "create" ? String(valueAt(jsonOf(create), idPlace.path)) : full;
  const isOther = created !== full && !/^(?:\/|https?:)/.test(created);
  return isOther
    ? broken(`${created}, from the answer to a create, does not address the page; ${full} does`, create, updateTitle)
    : holds(`${full} addresses the page`, create, updateTitle);
}

function judgeOwnPages(session: Session): Judgement {
  const {
    listings: { made },
    ids,
    sent,
    listPath,
  } = session;
  if (made === undefined || ids.full === undefined) return unseen("no page could be made and addressed");
  const missing = (["full", "shortest"] as const).flatMap((name) =>
    ids[name] !== undefined && !findElement(session, made, ids[name], sent[name]) ? [ids[name]] : [],
  );
  if (missing.length === 0) return holds("both pages that were made are listed", ...made.exchanges);
  return made.isWhole && listPath !== undefined
    ? broken(`not listed: ${missing.join(", ")}`, ...made.exchanges)
    : unseen("the pages were not found in the part of the listing that was read", ...made.exchanges);
}

function judgeForeignPages({ probes: { otherList, otherUpdate }, sent }: Session): Judgement {
  if (otherList === undefined) return unseen("takes the key of a second account");
  if (hasSucceeded(otherUpdate)) return broken("another account could change the page", otherUpdate);
  const json = hasSucceeded(otherList) ? jsonOf(otherList) : undefined;
  if (json === undefined) return unseen("the other account's listing cannot be read", otherList);
  const texts = [sent.full.slug, sent.title, sent.shortest.slug, sent.otherTitle];
  return texts.some((text) => mentions(json, text))
    ? broken("another account's list holds the page", otherList)
    : holds("another account neither lists nor changes the page", otherList, otherUpdate);
}

function judgeLimit({ probes: { listOne }, listPath, listings }: Session): Judgement {
  if (!hasSucceeded(listOne)) return broken(`limit=1 ${answered(listOne)}`, listOne);
  const { length } = listAt(jsonOf(listOne), listPath);
  if (listPath === undefined || (listings.made?.elements.length ?? 0) < 2)
    return unseen("no list of two pages could be read", listOne);
  return length === 1 ? holds("limit=1 returns one page", listOne) : broken(`limit=1 returns ${length} pages`, listOne);
}

function judgeDefaultLimit({ probes, listPath }: Session, readLimit: ReadLimit): Judgement {
  const exchange = probes.listDefault ?? probes.list;
  const json = hasSucceeded(exchange) ? jsonOf(exchange) : undefined;
  if (json === undefined) return unseen("the list cannot be read", exchange);
  const { length } = listAt(json, listPath ?? findList(json, []).path);
  const limit = readLimit(exchange);
  if (length > defaultListLimit) return broken(`${length} pages without a limit`, exchange);
  if (limit !== undefined)
    return (limit === defaultListLimit ? holds : broken)(`the response says limit ${limit}`, exchange);
  return probes.listDefault === undefined
    ? unseen("takes a thorough check, which makes 21 pages", exchange)
    : holds(`${length} of more pages without a limit`, exchange);
}

function judgeOffset({ probes: { listOne, listNext }, listPath, listIdPlace, listings }: Session): Judgement {
  if (!hasSucceeded(listNext)) return broken(`offset=1 ${answered(listNext)}`, listNext);
  const [[first], [next]] = [listAt(jsonOf(listOne), listPath), listAt(jsonOf(listNext), listPath)];
  if (first === undefined || (listings.made?.elements.length ?? 0) < 2)
    return unseen("no list of two pages could be read", listOne, listNext);
  if (next === undefined) return broken("offset=1 returns no page, though there are more", listOne, listNext);
  const [id, nextId] = [readElementId(first, listIdPlace), readElementId(next, listIdPlace)];
  if (id === undefined || nextId === undefined)
    return unseen("the list does not say which pages it has", listOne, listNext);
  return id === nextId
    ? broken("offset=1 returns the same page as offset=0", listOne, listNext)
    : holds("offset=1 returns the next page", listOne, listNext);
}

/** A create or an update, the list after it, and the full page that should be stored then. */
interface Write {
  readonly exchange: Exchange | undefined;
  readonly listing: Listing | undefined;
  readonly sent: Partial<SentPage>;
  readonly page: SentPage;
}

/** One update sends the title alone, the next all the rest, so that each field is sent once and left out once. */
function listWrites({ probes, sent, listings }: Session): [created: Write, ...updates: Write[]] {
  const titled = { ...sent.full, title: sent.title };
  const rewritten = { ...titled, ...sent.rest };
  return [
    { exchange: probes.create, listing: listings.made, sent: sent.full, page: sent.full },
    { exchange: probes.updateTitle, listing: listings.titled, sent: { title: sent.title }, page: titled },
    { exchange: probes.updateRest, listing: listings.rewritten, sent: sent.rest, page: rewritten },
  ];
}

/** Whether responses show the fields of the page that were sent, or not sent, as they should be. */
function judgeFields(session: Session, which: "created" | "sent" | "unsent"): Judgement {
  const [created, ...updates] = listWrites(session);
  const evidence: (Exchange | undefined)[] = [];
  let before = created;
  for (const write of which === "created" ? [created] : updates) {
    const { exchange, sent, page } = write;
    if (exchange === undefined) return unseen("no page could be made and addressed");
    const what = which === "created" ? "" : `an update of ${Object.keys(sent).join(", ")}`;
    if (!hasSucceeded(exchange)) {
      const note = `${what} ${answered(exchange)}`.trim();
      return which === "unsent" ? unseen(note, exchange) : broken(note, exchange);
    }
    const names = (Object.keys(page) as (keyof SentPage)[]).filter((name) => name in sent === (which !== "unsent")); // why: its own keys
    const shownBefore = showPage(session, before);
    for (const [at, [value, shownBy]] of showPage(session, write).entries()) {
      const isRight = (name: keyof SentPage): boolean | undefined =>
        which === "created"
          ? isSent(value, name, textsOf(page[name]))
          : isKept(shownBefore[at]?.[0], value, textsOf(before.page[name]), textsOf(page[name]));
      const wrong = names.filter((name) => isRight(name) === false).join(", ");
      if (wrong !== "") {
        const fault = which === "created" ? "not as sent" : `did not ${which === "sent" ? "change" : "stay"}`;
        return broken(`${what && `after ${what}: `}${wrong} ${fault}`, exchange, shownBy);
      }
      if (names.some(isRight)) evidence.push(exchange, shownBy);
    }
    before = write;
  }
  if (evidence.length === 0) return unseen("no response shows the page's fields", created.exchange);
  const note = `all five fields ${which === "sent" ? "changed when sent" : "stayed when not sent"}`;
  return holds(which === "created" ? "the page has the fields that were sent" : note, ...evidence);
}

/** The whole page in the response to a write, and in the list after it. */
function showPage(
  session: Session,
  { exchange, listing, page }: Write,
): [value: unknown, shownBy: Exchange | undefined][] {
  const element = findElement(session, listing, session.ids.full, page);
  const listed = listing?.exchanges.find((one) => mentions(jsonOf(one), page.slug)) ?? listing?.exchanges[0];
  return [
    [hasSucceeded(exchange) ? jsonOf(exchange) : undefined, exchange],
    [element?.value, listed],
  ];
}

/** The texts that show a field. */
function textsOf(field: SentPage[keyof SentPage]): string[] {
  return listLeaves(field).flatMap(({ text }) => (text === "button" ? [] : [text]));
}

/** Whether a field is as it was sent; `undefined` if there is no such field. */
function isSent(value: unknown, name: string, sent: readonly string[]): boolean | undefined {
  const leaves = listLeaves(value);
  if (leaves.some(({ text }) => sent.includes(text))) return true;
  return leaves.some(({ path }) => path.includes(name)) ? false : undefined;
}

/** Whether the place that showed a field before shows its present value; `undefined` if there was none, or the response shows less than before. */
function isKept(before: unknown, after: unknown, was: readonly string[], now: readonly string[]): boolean | undefined {
  const paths = listLeaves(before).filter(({ text }) => was.some((one) => mentions(text, one)));
  const shown = paths.map(({ path }) => valueAt(after, path)).filter((value) => value !== undefined);
  return shown.length === 0 ? undefined : shown.some((value) => now.some((one) => mentions(value, one)));
}

function judgeDelete(session: Session): Judgement {
  const { probes, listings, ids, sent } = session;
  const { delete: removed, updateDeleted } = probes;
  if (removed === undefined) return unseen("no page could be made and addressed");
  if (!hasSucceeded(removed)) return broken(`a delete ${answered(removed)}`, removed);
  if (hasSucceeded(updateDeleted))
    return broken(`an update of the deleted page ${answered(updateDeleted)}`, removed, updateDeleted);
  const { deleted } = listings;
  return findElement(session, deleted, ids.shortest, { ...sent.shortest, title: sent.otherTitle })
    ? broken("the deleted page is still listed", removed, ...(deleted?.exchanges ?? []))
    : holds("the deleted page is neither found nor listed", removed, updateDeleted);
}

function judgeRateLimitHeaders({ exchanges }: Session): Judgement {
  // One for each status, and those where a header is missing before the others.
  const seen = new Map<number, { exchange: Exchange; missing: string[] }>();
  for (const exchange of exchanges) {
    const { status, headers = {} } = exchange.answer ?? {};
    const names = Object.values(rateLimitHeaderNames);
    const missing = names.filter((name) => !/^\d+$/.test(headers[name.toLowerCase()] ?? ""));
    if (status !== undefined && (seen.get(status)?.missing.length ?? 0) === 0) seen.set(status, { exchange, missing });
  }
  const all = [...seen].toSorted(([one], [other]) => one - other);
  const wrong = all.filter(([, { missing }]) => missing.length > 0);
  const notes = wrong.map(([status, { missing }]) => `${status} without an integer ${missing.join(", ")}`);
  if (wrong.length > 0) return broken(notes.join("; "), ...wrong.map(([, { exchange }]) => exchange));
  const statuses = all.map(([status]) => status).join(", ");
  const note = `on all ${exchanges.length} responses: ${statuses}`;
  return holds(note, ...all.map(([, { exchange }]) => exchange));
}
