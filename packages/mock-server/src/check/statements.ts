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

/** What was found, and the requests that show it. */
export function found<Result extends string>(
  result: Result | undefined,
  note: string,
  ...evidence: (Exchange | undefined)[]
): Finding<Result> {
  return { result, note, evidence: [...new Set(evidence.filter((exchange) => exchange !== undefined))] };
}

/** The check could not tell. */
export function unseen(note: string, ...evidence: (Exchange | undefined)[]): Finding<never> {
  return found<never>(undefined, note, ...evidence);
}

/** The outcome of a request, in words. */
export function answered(exchange: Exchange | undefined): string {
  if (exchange?.answer !== undefined) return `answered ${exchange.answer.status}`;
  return exchange?.failure === undefined ? "was not tried" : `was not answered (${exchange.failure})`;
}

type Judgement = Finding<"holds" | "broken">;

/** Reads the limit that the response to a list says it has; `undefined` where it says none. */
export type ReadLimit = (exchange: Exchange | undefined) => number | undefined;

/** How each statement is judged. */
export const judges: Record<StatementId, (session: Session, readLimit: ReadLimit) => Judgement> = {
  "page-identifier": judgeIdentifier,
  "list-own": judgeOwnPages,
  "list-no-foreign": judgeForeignPages,
  "list-limit": judgeLimit,
  "list-default-limit": judgeDefaultLimit,
  "list-offset": judgeOffset,
  "create-page": judgeCreate,
  "create-no-domain": ({ probes }) => succeeds(probes.create, "made without naming a domain"),
  "create-no-description": ({ probes }) => succeeds(probes.shortest, "made without a description"),
  "update-changes-sent": (session) => judgeUpdates(session, "sent"),
  "update-keeps-unsent": (session) => judgeUpdates(session, "unsent"),
  "delete-permanent": judgeDelete,
  "event-accepted": ({ probes }) => succeeds(probes.event, "taken"),
  "auth-bearer": ({ probes, listings }) =>
    succeeds(probes.list?.answer?.status === 404 ? listings.made?.exchanges[0] : probes.list, "let in"),
  "auth-missing": (session) =>
    allAnswer(
      session,
      401,
      endpoints.map((name) => `anonymous-${name}` as const),
    ),
  "auth-invalid": (session) =>
    allAnswer(
      session,
      401,
      endpoints.map((name) => `wrongKey-${name}` as const),
    ),
  "error-malformed": (session) => allAnswer(session, 400, ["malformed-create", "malformed-update", "malformed-event"]),
  "error-invalid": (session) =>
    allAnswer(session, 400, ["invalid-list", "invalid-create", "invalid-update", "invalid-event"]),
  "error-not-found": ({ probes, ...session }) =>
    // Requests a page that is known to be deleted, because a made-up identifier might be malformed.
    hasSucceeded(probes.delete) && !hasSucceeded(probes.updateDeleted)
      ? allAnswer({ probes, ...session }, 404, ["updateDeleted", "deleteDeleted"])
      : unseen("no page is known to be gone", probes.delete, probes.updateDeleted),
  "error-too-many": ({ exchanges }) => wasSeen(exchanges, 429, "the limit was not reached"),
  "error-server": ({ exchanges }) => wasSeen(exchanges, 500, "the service did not fail"),
  "rate-limit-headers": ({ exchanges }) => judgeRateLimitHeaders(exchanges),
};

const endpoints = ["list", "create", "update", "delete", "event"] as const;

function holds(note: string, ...evidence: (Exchange | undefined)[]): Judgement {
  return found("holds", note, ...evidence);
}

function broken(note: string, ...evidence: (Exchange | undefined)[]): Judgement {
  return found("broken", note, ...evidence);
}

function succeeds(exchange: Exchange | undefined, note: string): Judgement {
  if (exchange === undefined) return unseen("no page could be made");
  return hasSucceeded(exchange) ? holds(note, exchange) : broken(answered(exchange), exchange);
}

function wasSeen(exchanges: readonly Exchange[], status: number, otherwise: string): Judgement {
  const seen = exchanges.find(({ answer }) => answer?.status === status);
  return seen === undefined ? unseen(otherwise) : holds(`answered ${status}`, seen);
}

function allAnswer({ probes }: Pick<Session, "probes">, status: number, names: readonly ProbeName[]): Judgement {
  const seen = names.map((name) => probes[name]).filter((exchange) => exchange !== undefined);
  if (seen.length === 0) return unseen("no page could be made");
  const wrong = seen.filter(({ answer }) => answer?.status !== status);
  if (wrong.length === 0) return holds(`${seen.length} of ${seen.length} answered ${status}`, ...seen);
  const notes = wrong.map((exchange) => `${exchange.request.method} ${exchange.request.path} ${answered(exchange)}`);
  return broken(notes.join("; "), ...wrong);
}

/** Whether the identifier from the create works in paths. */
function judgeIdentifier({ probes, ids, idPlace, tried }: Session): Judgement {
  const { create, updateTitle } = probes;
  if (!hasSucceeded(create)) return unseen("no page could be made", create);
  if (ids.full === undefined)
    return tried.length === 0
      ? broken("no response shows its identifier, so no other was made", create)
      : broken(
          `none of ${tried.length} values that differ addresses the page, so no other was made`,
          create,
          updateTitle,
        );
  const told = idPlace?.from === "create" ? String(valueAt(jsonOf(create), idPlace.path)) : ids.full;
  if (told !== ids.full && !/^(?:\/|https?:)/.test(told))
    return broken(
      `${told}, from the answer to a create, does not address the page; ${ids.full} does`,
      create,
      updateTitle,
    );
  return holds(`${ids.full} addresses the page`, create, updateTitle);
}

function judgeOwnPages(session: Session): Judgement {
  const { listings, ids, sent, listPath } = session;
  const { made } = listings;
  if (made === undefined || ids.full === undefined) return unseen("no page could be made and addressed");
  const wanted = [
    [ids.full, sent.full],
    [ids.shortest, sent.shortest],
  ] as const;
  const missing = wanted.filter(([id, page]) => id !== undefined && findElement(session, made, id, page) === undefined);
  if (missing.length === 0) return holds("both pages that were made are listed", ...made.exchanges);
  if (made.isWhole && listPath !== undefined)
    return broken(`not listed: ${missing.map(([id]) => id).join(", ")}`, ...made.exchanges);
  return unseen("the pages were not found in the part of the listing that was read", ...made.exchanges);
}

function judgeForeignPages({ probes: { otherList, otherUpdate }, sent }: Session): Judgement {
  if (otherList === undefined) return unseen("takes the key of a second account");
  if (hasSucceeded(otherUpdate)) return broken("another account could change the page", otherUpdate);
  const json = hasSucceeded(otherList) ? jsonOf(otherList) : undefined;
  if (json === undefined) return unseen("the other account's listing cannot be read", otherList);
  const texts = [sent.full.slug, sent.title, sent.shortest.slug, sent.otherTitle];
  if (texts.some((text) => mentions(json, text))) return broken("another account's list holds the page", otherList);
  return holds("another account neither lists nor changes the page", otherList, otherUpdate);
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
  if (limit === undefined && probes.listDefault === undefined)
    return unseen("takes a thorough check, which makes 21 pages", exchange);
  return limit === undefined || limit === defaultListLimit
    ? holds(
        limit === undefined ? `${length} of more pages without a limit` : `the response says limit ${limit}`,
        exchange,
      )
    : broken(`the response says limit ${limit}`, exchange);
}

function judgeOffset({ probes: { listOne, listNext }, listPath, listIdPlace, listings }: Session): Judgement {
  if (!hasSucceeded(listNext)) return broken(`offset=1 ${answered(listNext)}`, listNext);
  const [first] = listAt(jsonOf(listOne), listPath);
  const [next] = listAt(jsonOf(listNext), listPath);
  if (first === undefined || (listings.made?.elements.length ?? 0) < 2)
    return unseen("no list of two pages could be read", listOne, listNext);
  if (next === undefined) return broken("offset=1 returns no page, though there are more", listOne, listNext);
  const [id, nextId] = [first, next].map((element) => readElementId(element, listIdPlace));
  if (id === undefined || nextId === undefined)
    return unseen("the list does not say which pages it has", listOne, listNext);
  return id === nextId
    ? broken("offset=1 returns the same page as offset=0", listOne, listNext)
    : holds("offset=1 returns the next page", listOne, listNext);
}

/** A value that shows the full page, and the request that shows it. */
type Shown = readonly [value: unknown, exchange: Exchange | undefined];

/** The whole page in the response to a write, and in the list after it. */
function shownAfter(
  session: Session,
  write: Exchange | undefined,
  listing: Listing | undefined,
  page: SentPage,
): Shown[] {
  const element = findElement(session, listing, session.ids.full, page);
  const listed = listing?.exchanges.find((exchange) => mentions(jsonOf(exchange), page.slug)) ?? listing?.exchanges[0];
  return [
    [hasSucceeded(write) ? jsonOf(write) : undefined, write],
    [element?.value, listed],
  ];
}

type FieldName = keyof SentPage;

/** The texts that show a field. */
function textsOf(page: Partial<SentPage>, name: FieldName): string[] {
  return listLeaves(page[name]).flatMap(({ text }) => (text === "button" ? [] : [text]));
}

function judgeCreate(session: Session): Judgement {
  const { probes, sent, listings } = session;
  const { create } = probes;
  if (!hasSucceeded(create)) return broken(answered(create), create);
  const names = Object.keys(sent.full) as FieldName[]; // why: its own keys
  const evidence: (Exchange | undefined)[] = [];
  for (const [value, exchange] of shownAfter(session, create, listings.made, sent.full)) {
    const leaves = listLeaves(value);
    const isTold = (name: FieldName) =>
      textsOf(sent.full, name).some((sent) => leaves.some(({ text }) => text === sent));
    const isNamed = (name: FieldName) => leaves.some(({ path }) => path.includes(name));
    const wrong = names.filter((name) => isNamed(name) && !isTold(name));
    if (wrong.length > 0) return broken(`${wrong.join(", ")} not as sent`, create, exchange);
    if (names.some((name) => isTold(name))) evidence.push(exchange);
  }
  return evidence.length === 0
    ? unseen("made, but no response shows its fields", create)
    : holds("the page has the fields that were sent", ...evidence);
}

/** One update sends the title alone, the next all the rest: between them each field is sent once and left out once. */
function judgeUpdates(session: Session, which: "sent" | "unsent"): Judgement {
  const { probes, sent, listings } = session;
  if (probes.updateTitle === undefined) return unseen("no page could be made and addressed");
  const titled = { ...sent.full, title: sent.title };
  const rounds = [
    { update: probes.updateTitle, changes: { title: sent.title }, was: sent.full, page: titled },
    { update: probes.updateRest, changes: sent.rest, was: titled, page: { ...titled, ...sent.rest } },
  ];
  let before = shownAfter(session, probes.create, listings.made, sent.full);
  const evidence: (Exchange | undefined)[] = [];
  for (const [index, { update, changes, was, page }] of rounds.entries()) {
    const what = `an update of ${Object.keys(changes).join(", ")}`;
    if (!hasSucceeded(update))
      return which === "sent"
        ? broken(`${what} ${answered(update)}`, update)
        : unseen(`${what} ${answered(update)}`, update);
    const after = shownAfter(session, update, index === 0 ? listings.titled : listings.rewritten, page);
    const names = (Object.keys(page) as FieldName[]).filter((name) => name in changes === (which === "sent")); // why: its own keys
    for (const [at, [value, exchange]] of after.entries()) {
      const told = names.map(
        (name) => [name, isKept(before[at]?.[0], value, textsOf(was, name), textsOf(page, name))] as const,
      );
      const wrong = told.flatMap(([name, isRight]) => (isRight === false ? [name] : []));
      if (wrong.length > 0)
        return broken(
          `after ${what}: ${wrong.join(", ")} did not ${which === "sent" ? "change" : "stay"}`,
          update,
          exchange,
        );
      if (told.some(([, isRight]) => isRight)) evidence.push(update, exchange);
    }
    before = after;
  }
  if (evidence.length === 0)
    return unseen("no response shows the page's fields", probes.updateTitle, probes.updateRest);
  return holds(`all five fields ${which === "sent" ? "changed when sent" : "stayed when not sent"}`, ...evidence);
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
  if (findElement(session, listings.deleted, ids.shortest, { ...sent.shortest, title: sent.otherTitle }) !== undefined)
    return broken("the deleted page is still listed", removed, ...(listings.deleted?.exchanges ?? []));
  return holds("the deleted page is neither found nor listed", removed, updateDeleted);
}

function judgeRateLimitHeaders(exchanges: readonly Exchange[]): Judgement {
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
  return holds(`on all ${exchanges.length} responses: ${statuses}`, ...all.map(([, { exchange }]) => exchange));
}
