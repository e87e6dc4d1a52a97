// Judges every documented statement by what a visit saw.
import { defaultListLimit, rateLimitHeaderNames, type StatementId, statements } from "@landing-page-service/contract";
import { type Exchange, hasSucceeded, readListIn } from "./exchange.ts";
import { answered, broken, holds, type Judgement, unseen } from "./finding.ts";
import { judgeIdentifier } from "./identifier.ts";
import { findById } from "./listing.ts";
import { differing, isShown, shows, sightings } from "./sightings.ts";
import { isEmptyNotFound, type Step, type Visit } from "./visit.ts";

/** Judges every statement. `exchanges` is everything that was said, cleaning up included. */
export function judgeStatements(visit: Visit, exchanges: readonly Exchange[]): Record<StatementId, Judgement> {
  const judged = Object.keys(statements).map((id) => [id, judges[id as StatementId](visit, exchanges)]); // why: its own keys
  return Object.fromEntries(judged) as Record<StatementId, Judgement>; // why: one entry for each key
}

type Judge = (visit: Visit, exchanges: readonly Exchange[]) => Judgement;

const judges: Record<StatementId, Judge> = {
  "page-identifier": judgeIdentifier,
  "list-own": judgeOwnPages,
  "list-no-foreign": judgeForeignPages,
  "list-limit": judgeLimit,
  "list-default-limit": judgeDefaultLimit,
  "list-offset": judgeOffset,
  "create-page": judgeCreate,
  "create-no-domain": ({ steps }) => succeeds(steps.create, "made without naming a domain"),
  "create-no-description": ({ steps }) => succeeds(steps.shortest, "made without a description"),
  "update-changes-sent": (visit) => judgeUpdates(visit, "sent"),
  "update-keeps-unsent": (visit) => judgeUpdates(visit, "unsent"),
  "delete-permanent": judgeDelete,
  "event-accepted": ({ steps }) => succeeds(steps.event, "taken"),
  "auth-bearer": (visit) =>
    succeeds(isEmptyNotFound(visit) ? visit.views.made?.exchanges[0] : visit.steps.list, "let in"),
  "auth-missing": (visit) => allAnswer(visit, stepsOf("anonymous"), 401),
  "auth-invalid": (visit) => allAnswer(visit, stepsOf("wrongKey"), 401),
  "error-malformed": (visit) => allAnswer(visit, ["malformed-create", "malformed-update", "malformed-event"], 400),
  "error-invalid": (visit) =>
    allAnswer(visit, ["invalid-list", "invalid-create", "invalid-update", "invalid-event"], 400),
  "error-not-found": judgeNotFound,
  "error-too-many": (_visit, exchanges) => wasSeen(exchanges, 429, "the limit was not reached"),
  "error-server": (_visit, exchanges) => wasSeen(exchanges, 500, "the service did not fail"),
  "rate-limit-headers": (_visit, exchanges) => judgeRateLimitHeaders(exchanges),
};

function judgeOwnPages({ views: { made }, fullId, shortestId }: Visit): Judgement {
  const wanted = [fullId, shortestId].filter((id) => id !== undefined);
  if (made === undefined || wanted.length === 0) return unseen("no page could be made");
  const missing = wanted.filter((id) => findById(made.pages, id) === undefined);
  if (missing.length === 0) return holds("both pages that were made are listed", ...made.exchanges);
  const isNamed = made.pages.every(({ page }) => page.id !== undefined);
  if (made.isWhole && isNamed) return broken(`not listed: ${missing.join(", ")}`, ...made.exchanges);
  return unseen("the pages were not found in the part of the listing that was read", ...made.exchanges);
}

function judgeForeignPages({ steps, fullId }: Visit): Judgement {
  if (steps.otherList === undefined) return unseen("takes the key of a second account");
  const listed = readListIn(steps.otherList);
  if (hasSucceeded(steps.otherUpdate)) return broken("another account could change the page", steps.otherUpdate);
  if (listed === undefined) return unseen("the other account's listing cannot be read", steps.otherList);
  if (findById(listed.pages, fullId) !== undefined)
    return broken("another account's list holds the page", steps.otherList);
  return holds("another account neither lists nor changes the page", steps.otherList, steps.otherUpdate);
}

function judgeLimit({ steps, views }: Visit): Judgement {
  const count = readListIn(steps.listOne)?.pages.length;
  if (!hasSucceeded(steps.listOne)) return broken(`limit=1 ${answered(steps.listOne)}`, steps.listOne);
  if (count === undefined || (views.made?.pages.length ?? 0) < 2)
    return unseen("no list of two pages could be read", steps.listOne);
  return count === 1
    ? holds("limit=1 returns one page", steps.listOne)
    : broken(`limit=1 returns ${atLeast(count, steps.listOne)} pages`, steps.listOne);
}

/** A number of pages in words: of a long answer not all were counted. */
function atLeast(count: number, exchange: Exchange | undefined): string {
  return exchange?.answer?.abridgedFrom === undefined ? String(count) : `${count} or more`;
}

function judgeDefaultLimit({ steps }: Visit): Judgement {
  const exchange = steps.listDefault ?? steps.list;
  const list = readListIn(exchange);
  if (list === undefined) return unseen("the list cannot be read", exchange);
  const count = list.pages.length;
  if (count > defaultListLimit) return broken(`${atLeast(count, exchange)} pages without a limit`, exchange);
  if (list.limit !== undefined && list.limit !== defaultListLimit)
    return broken(`the answer says limit ${list.limit}`, exchange);
  const isCut = list.total !== undefined && list.total.count > count;
  if (steps.listDefault !== undefined || isCut)
    return count === defaultListLimit
      ? holds(`${count} of more pages without a limit`, exchange)
      : broken(`${count} of more pages without a limit`, exchange);
  if (list.limit !== undefined) return holds(`the answer says limit ${list.limit}`, exchange);
  return unseen(`takes an account with more than ${defaultListLimit} pages; a thorough check makes them`, exchange);
}

function judgeOffset({ steps, views }: Visit): Judgement {
  if (!hasSucceeded(steps.listNext)) return broken(`offset=1 ${answered(steps.listNext)}`, steps.listNext);
  const [first] = readListIn(steps.listOne)?.pages ?? [];
  const [next] = readListIn(steps.listNext)?.pages ?? [];
  if (first === undefined || (views.made?.pages.length ?? 0) < 2)
    return unseen("no list of two pages could be read", steps.listOne, steps.listNext);
  if (next === undefined)
    return broken("offset=1 returns no page, though there are more", steps.listOne, steps.listNext);
  if (first.page.id === undefined || next.page.id === undefined)
    return unseen("the list does not say which pages it has", steps.listOne, steps.listNext);
  return first.page.id === next.page.id
    ? broken("offset=1 returns the same page as offset=0", steps.listOne, steps.listNext)
    : holds("offset=1 returns the next page", steps.listOne, steps.listNext);
}

function judgeCreate(visit: Visit): Judgement {
  const { steps, sent } = visit;
  if (!hasSucceeded(steps.create)) return broken(answered(steps.create), steps.create);
  const sights = sightings(visit, steps.create, visit.views.made).filter(({ fields }) => shows(fields, sent.full));
  if (sights.length === 0) return unseen("made, but no answer shows its fields", steps.create);
  for (const { fields, exchange } of sights) {
    const wrong = differing(fields, sent.full);
    if (wrong.length > 0) return broken(`${wrong.join(", ")} not as sent`, steps.create, exchange);
  }
  return holds("the page has the fields that were sent", ...sights.map(({ exchange }) => exchange));
}

/** One update sends the title alone, the next all the rest: between them each field is sent once and left out once. */
function judgeUpdates(visit: Visit, which: "sent" | "unsent"): Judgement {
  const { steps, sent, views } = visit;
  if (steps.updateTitle === undefined) return unseen("no page could be made");
  const { title: _, ...unsent } = sent.full;
  // A service may show a field otherwise than it was sent, at all times the same: it stays as it was shown before.
  const made = sightings(visit, steps.create, views.made);
  const titled = [...made, ...sightings(visit, steps.updateTitle, views.titled)];
  const rounds = [
    { update: steps.updateTitle, view: views.titled, sent: { title: sent.title }, unsent, before: made },
    { update: steps.updateRest, view: views.rewritten, sent: sent.rest, unsent: { title: sent.title }, before: titled },
  ];
  const evidence: (Exchange | undefined)[] = [];
  for (const round of rounds) {
    const names = Object.keys(round.sent).join(", ");
    if (!hasSucceeded(round.update))
      return which === "sent"
        ? broken(`an update of ${names} ${answered(round.update)}`, round.update)
        : unseen(`an update of ${names} ${answered(round.update)}`, round.update);
    for (const { fields, exchange } of sightings(visit, round.update, round.view)) {
      if (!shows(fields, round[which])) continue;
      const wrong = differing(fields, round[which]).filter((name) => {
        const seen = round.before.filter((sight) => sight.fields[name] !== undefined);
        return which === "sent" ? seen.length === 0 || isShown(fields, name, seen) : !isShown(fields, name, seen);
      });
      const what = which === "sent" ? "did not change" : "did not stay";
      if (wrong.length > 0)
        return broken(`after an update of ${names}: ${wrong.join(", ")} ${what}`, round.update, exchange);
      evidence.push(round.update, exchange);
    }
  }
  if (evidence.length === 0) return unseen("no answer shows the page's fields", steps.updateTitle, steps.updateRest);
  return holds(
    which === "sent" ? "all five fields changed when sent" : "all five fields stayed when not sent",
    ...evidence,
  );
}

function judgeDelete({ steps, views, shortestId }: Visit): Judgement {
  if (steps.delete === undefined) return unseen("no page could be made");
  if (!hasSucceeded(steps.delete)) return broken(`a delete ${answered(steps.delete)}`, steps.delete);
  if (hasSucceeded(steps.updateDeleted))
    return broken(`an update of the deleted page ${answered(steps.updateDeleted)}`, steps.delete, steps.updateDeleted);
  if (findById(views.deleted?.pages ?? [], shortestId) !== undefined)
    return broken("the deleted page is still listed", steps.delete, ...(views.deleted?.exchanges ?? []));
  return holds("the deleted page is neither found nor listed", steps.delete, steps.updateDeleted);
}

/** A page that is known to be gone is asked for: whether an identifier was ever one cannot be told from its looks. */
function judgeNotFound(visit: Visit): Judgement {
  const { steps } = visit;
  if (!hasSucceeded(steps.delete)) return unseen("no page could be deleted, so none is known to be gone", steps.delete);
  if (hasSucceeded(steps.updateDeleted))
    return unseen("the deleted page is still there", steps.delete, steps.updateDeleted);
  return allAnswer(visit, ["updateDeleted", "deleteDeleted"], 404);
}

function judgeRateLimitHeaders(exchanges: readonly Exchange[]): Judgement {
  const wrongByStatus = new Map<number, { exchange: Exchange; names: string[] }>();
  const goodByStatus = new Map<number, Exchange>();
  for (const exchange of exchanges) {
    if (exchange.answer === undefined) continue;
    const { status, headers } = exchange.answer;
    const names = Object.values(rateLimitHeaderNames).filter(
      (name) => !/^\d+$/.test(headers[name.toLowerCase()] ?? ""),
    );
    if (names.length > 0 && !wrongByStatus.has(status)) wrongByStatus.set(status, { exchange, names });
    if (!goodByStatus.has(status)) goodByStatus.set(status, exchange);
  }
  if (wrongByStatus.size === 0) {
    const statuses = [...goodByStatus.keys()].sort((one, other) => one - other).join(", ");
    return holds(`on all ${exchanges.length} answers: ${statuses}`, ...goodByStatus.values());
  }
  const wrong = [...wrongByStatus].map(([status, { names }]) => `${status} without an integer ${names.join(", ")}`);
  return broken(wrong.join("; "), ...[...wrongByStatus.values()].map(({ exchange }) => exchange));
}

function stepsOf(caller: "anonymous" | "wrongKey"): Step[] {
  return (["list", "create", "update", "delete", "event"] as const).map((endpoint) => `${caller}-${endpoint}` as const);
}

function allAnswer({ steps }: Visit, names: readonly Step[], status: number): Judgement {
  const seen = names.map((name) => steps[name]).filter((exchange) => exchange !== undefined);
  if (seen.length === 0) return unseen("no page could be made");
  const wrong = seen.filter(({ answer }) => answer?.status !== status);
  if (wrong.length === 0) return holds(`${seen.length} of ${seen.length} answered ${status}`, ...seen);
  const notes = wrong.map((exchange) => `${exchange.request.method} ${exchange.request.path} ${answered(exchange)}`);
  return broken(notes.join("; "), ...wrong);
}

function succeeds(exchange: Exchange | undefined, note: string): Judgement {
  if (exchange === undefined) return unseen("no page could be made");
  return hasSucceeded(exchange) ? holds(note, exchange) : broken(answered(exchange), exchange);
}

function wasSeen(exchanges: readonly Exchange[], status: number, otherwise: string): Judgement {
  const seen = exchanges.find(({ answer }) => answer?.status === status);
  return seen === undefined ? unseen(otherwise) : holds(`answered ${status}`, seen);
}
