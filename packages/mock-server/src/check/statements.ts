// Judges every documented statement by what a check observed.
import { isDeepStrictEqual } from "node:util";
import {
  defaultListLimit,
  isObject,
  rateLimitHeaderNames,
  type StatementId,
  statements,
} from "@landing-page-service/contract";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { answered, broken, type Evidence, holds, type Judgement, unseen } from "./finding.ts";
import { entriesOf, listTexts, mentions } from "./json.ts";
import { findElement, findArray, type Listing, listAt, readElementId } from "./pages.ts";
import { type Observations, type ProbeName, readTotal } from "./probes.ts";
import type { SentPage } from "./sent.ts";

/** Judges every statement. */
export function judgeStatements(evidence: Evidence): Record<StatementId, Judgement> {
  const judged = Object.keys(statements).map((id) => [id, judges[id as StatementId](evidence)]); // why: its own keys
  return Object.fromEntries(judged) as Record<StatementId, Judgement>; // why: one entry for each key
}

const judges: Record<StatementId, (evidence: Evidence) => Judgement> = {
  "page-identifier": judgeIdentifier,
  "list-own": ({ seen }) => judgeOwnPages(seen),
  "list-no-foreign": ({ seen }) => judgeForeignPages(seen),
  "list-limit": ({ seen }) => judgeLimit(seen),
  "list-default-limit": judgeDefaultLimit,
  "list-offset": ({ seen }) => judgeOffset(seen),
  "create-page": ({ seen }) => judgeCreate(seen),
  "create-no-domain": ({ seen }) => succeeds(seen.probes.create, "made without naming a domain"),
  "create-no-description": ({ seen }) => succeeds(seen.probes.shortest, "made without a description"),
  "update-changes-sent": ({ seen }) => judgeUpdates(seen, "sent"),
  "update-keeps-unsent": ({ seen }) => judgeUpdates(seen, "unsent"),
  "delete-permanent": ({ seen }) => judgeDelete(seen),
  "event-accepted": ({ seen }) => succeeds(seen.probes.event, "taken"),
  "auth-bearer": ({ seen: { probes, listings } }) =>
    succeeds(probes.list?.answer?.status === 404 ? listings.made?.exchanges[0] : probes.list, "let in"),
  "auth-missing": ({ seen }) => allAnswer(seen, probesOf("anonymous"), 401),
  "auth-invalid": ({ seen }) => allAnswer(seen, probesOf("wrongKey"), 401),
  "error-malformed": ({ seen }) => allAnswer(seen, ["malformed-create", "malformed-update", "malformed-event"], 400),
  "error-invalid": ({ seen }) =>
    allAnswer(seen, ["invalid-list", "invalid-create", "invalid-update", "invalid-event"], 400),
  "error-not-found": ({ seen }) => judgeNotFound(seen),
  "error-too-many": ({ exchanges }) => wasSeen(exchanges, 429, "the limit was not reached"),
  "error-server": ({ exchanges }) => wasSeen(exchanges, 500, "the service did not fail"),
  "rate-limit-headers": ({ exchanges }) => judgeRateLimitHeaders(exchanges),
};

/** Whether what a create tells of the page is what paths want. */
function judgeIdentifier({ seen: { probes, ids, idPlace, tried } }: Evidence): Judgement {
  if (!hasSucceeded(probes.create)) return unseen("no page could be made", probes.create);
  if (ids.full === undefined)
    return tried.length === 0
      ? broken("no answer tells its identifier, so no other was made", probes.create)
      : broken(
          `none of ${tried.length} values that differ addresses the page, so no other was made`,
          probes.create,
          probes.updateTitle,
        );
  const told = listTexts(jsonOf(probes.create)).find((text) => text !== ids.full && text.endsWith(ids.full ?? ""));
  const isPart =
    idPlace?.from === "create" && idPlace.part !== "whole" && told !== undefined && !/^(?:\/|https?:)/.test(told);
  if (isPart)
    return broken(
      `${told}, from the answer to a create, does not address the page; ${ids.full} does`,
      probes.create,
      probes.updateTitle,
    );
  return holds(`${ids.full} addresses the page`, probes.create, probes.updateTitle);
}

function judgeOwnPages(seen: Observations): Judgement {
  const {
    listings: { made },
    ids,
    sent,
  } = seen;
  if (made === undefined || ids.full === undefined) return unseen("no page could be made and addressed");
  const wanted = [
    [ids.full, [sent.full.slug, sent.full.title]],
    [ids.shortest, [sent.shortest.slug, sent.shortest.title]],
  ] as const;
  const missing = wanted.filter(([id, texts]) => id !== undefined && findElement(seen, made, id, texts) === undefined);
  if (missing.length === 0) return holds("both pages that were made are listed", ...made.exchanges);
  if (made.isWhole && made.path !== undefined)
    return broken(`not listed: ${missing.map(([id]) => id).join(", ")}`, ...made.exchanges);
  return unseen("the pages were not found in the part of the listing that was read", ...made.exchanges);
}

function judgeForeignPages({ probes: { otherList, otherUpdate }, sent }: Observations): Judgement {
  if (otherList === undefined) return unseen("takes the key of a second account");
  if (hasSucceeded(otherUpdate)) return broken("another account could change the page", otherUpdate);
  const json = hasSucceeded(otherList) ? jsonOf(otherList) : undefined;
  if (json === undefined) return unseen("the other account's listing cannot be read", otherList);
  const texts = [sent.full.slug, sent.title, sent.shortest.slug, sent.otherTitle];
  if (texts.some((text) => mentions(json, text))) return broken("another account's list holds the page", otherList);
  return holds("another account neither lists nor changes the page", otherList, otherUpdate);
}

/** The pages in the answer to a list; `undefined` where it is not known where they are. */
function elementsIn({ listPath }: Observations, exchange: Exchange | undefined): ReturnType<typeof listAt> | undefined {
  if (listPath === undefined || !hasSucceeded(exchange)) return undefined;
  return listAt(jsonOf(exchange), listPath);
}

function judgeLimit(seen: Observations): Judgement {
  const { listOne } = seen.probes;
  const count = elementsIn(seen, listOne)?.length;
  if (!hasSucceeded(listOne)) return broken(`limit=1 ${answered(listOne)}`, listOne);
  if (count === undefined || (seen.listings.made?.elements.length ?? 0) < 2)
    return unseen("no list of two pages could be read", listOne);
  return count === 1 ? holds("limit=1 returns one page", listOne) : broken(`limit=1 returns ${count} pages`, listOne);
}

function judgeDefaultLimit({ seen, readLimit }: Evidence): Judgement {
  const exchange = seen.probes.listDefault ?? seen.probes.list;
  const json = hasSucceeded(exchange) ? jsonOf(exchange) : undefined;
  const path = seen.listPath ?? findArray(json);
  if (json === undefined) return unseen("the list cannot be read", exchange);
  const count = listAt(json, path).length;
  const limit = readLimit(exchange);
  if (count > defaultListLimit) return broken(`${count} pages without a limit`, exchange);
  if (limit !== undefined && limit !== defaultListLimit) return broken(`the answer says limit ${limit}`, exchange);
  if (seen.probes.listDefault !== undefined || (readTotal(seen, json) ?? 0) > count)
    return count === defaultListLimit
      ? holds(`${count} of more pages without a limit`, exchange)
      : broken(`${count} of more pages without a limit`, exchange);
  if (limit !== undefined) return holds(`the answer says limit ${limit}`, exchange);
  return unseen(`takes an account with more than ${defaultListLimit} pages; a thorough check makes them`, exchange);
}

function judgeOffset(seen: Observations): Judgement {
  const { listOne, listNext } = seen.probes;
  if (!hasSucceeded(listNext)) return broken(`offset=1 ${answered(listNext)}`, listNext);
  const [first] = elementsIn(seen, listOne) ?? [];
  const [next] = elementsIn(seen, listNext) ?? [];
  if (first === undefined || (seen.listings.made?.elements.length ?? 0) < 2)
    return unseen("no list of two pages could be read", listOne, listNext);
  if (next === undefined) return broken("offset=1 returns no page, though there are more", listOne, listNext);
  const [id, nextId] = [first, next].map((element) => readElementId(element, seen.listIdPlace));
  if (id === undefined || nextId === undefined)
    return unseen("the list does not say which pages it has", listOne, listNext);
  return id === nextId
    ? broken("offset=1 returns the same page as offset=0", listOne, listNext)
    : holds("offset=1 returns the next page", listOne, listNext);
}

/** A value that shows the page, and the exchange that it is in. */
interface Shown {
  readonly value: unknown;
  readonly exchange: Exchange;
  readonly isListed: boolean;
}

/** The full page as the answer to a write shows it, and as the list after it does. */
function shownAfter(
  seen: Observations,
  write: Exchange | undefined,
  listing: Listing | undefined,
  texts: readonly string[],
): Shown[] {
  const element = listing && findElement(seen, listing, seen.ids.full, texts);
  const shown = listing?.exchanges.find((exchange) =>
    elementsIn(seen, exchange)?.some(({ value }) => isDeepStrictEqual(value, element?.value)),
  );
  return [
    ...(hasSucceeded(write) ? [{ value: jsonOf(write), exchange: write, isListed: false }] : []),
    ...(element && shown ? [{ value: element.value, exchange: shown, isListed: true }] : []),
  ];
}

type Fields = Partial<SentPage>;

/** The texts of a field: any of them shows it. */
function textsOf(fields: Fields, name: string): string[] {
  return listTexts(new Map(Object.entries(fields)).get(name)).filter((text) => text !== "button");
}

function showsField(value: unknown, fields: Fields, name: string): boolean {
  return textsOf(fields, name).some((text) => mentions(value, text));
}

/** What stands under the documented name of a field, wherever the record is. */
function underName(value: unknown, name: string): unknown {
  const own = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  if (own !== undefined) return own;
  return entriesOf(value)
    .map(([, inner]) => underName(inner, name))
    .find((inner) => inner !== undefined);
}

function isPlainValue(value: unknown): boolean {
  return (
    typeof value === "string" || (isObject(value) && Object.values(value).every((inner) => typeof inner === "string"))
  );
}

function judgeCreate(seen: Observations): Judgement {
  const {
    probes,
    sent: { full },
  } = seen;
  if (!hasSucceeded(probes.create)) return broken(answered(probes.create), probes.create);
  const all = shownAfter(seen, probes.create, seen.listings.made, [full.slug, full.title]);
  const names = Object.keys(full);
  const shown = all.filter(({ value }) =>
    names.some((name) => showsField(value, full, name) || isPlainValue(underName(value, name))),
  );
  if (shown.length === 0) return unseen("made, but no answer shows its fields", probes.create);
  for (const { value, exchange } of shown) {
    const texts = new Set(listTexts(value));
    const wrong = names.filter((name) => {
      const named = underName(value, name);
      return (
        isPlainValue(named) &&
        !textsOf(full, name).some((text) => texts.has(text)) &&
        !isDeepStrictEqual(named, new Map(Object.entries(full)).get(name))
      );
    });
    if (wrong.length > 0) return broken(`${wrong.join(", ")} not as sent`, probes.create, exchange);
  }
  return holds("the page has the fields that were sent", ...shown.map(({ exchange }) => exchange));
}

/** One update sends the title alone, the next all the rest: between them each field is sent once and left out once. */
function judgeUpdates(seen: Observations, which: "sent" | "unsent"): Judgement {
  const { probes, sent, listings } = seen;
  if (probes.updateTitle === undefined) return unseen("no page could be made and addressed");
  const { title: _, ...unsent } = sent.full;
  const made = shownAfter(seen, probes.create, listings.made, [sent.full.slug]);
  const titled = shownAfter(seen, probes.updateTitle, listings.titled, [sent.full.slug]);
  const rewritten = shownAfter(seen, probes.updateRest, listings.rewritten, [sent.rest.slug]);
  const rounds = [
    { update: probes.updateTitle, after: titled, sent: { title: sent.title }, unsent, before: made, was: sent.full },
    {
      update: probes.updateRest,
      after: rewritten,
      sent: sent.rest,
      unsent: { title: sent.title },
      before: titled,
      was: { ...sent.full, title: sent.title },
    },
  ];
  const evidence: (Exchange | undefined)[] = [];
  for (const { update, after, before, was, ...round } of rounds) {
    const names = Object.keys(round.sent).join(", ");
    if (!hasSucceeded(update)) {
      const note = `an update of ${names} ${answered(update)}`;
      return which === "sent" ? broken(note, update) : unseen(note, update);
    }
    for (const shown of after) {
      const told = Object.keys(round[which]).map(
        (name) => [name, judgeField(shown, name, round[which], was, before)] as const,
      );
      const wrong = told.flatMap(([name, isRight]) => (isRight === false ? [name] : []));
      const what = which === "sent" ? "did not change" : "did not stay";
      if (wrong.length > 0)
        return broken(`after an update of ${names}: ${wrong.join(", ")} ${what}`, update, shown.exchange);
      if (told.some(([, isRight]) => isRight)) evidence.push(update, shown.exchange);
    }
  }
  if (evidence.length === 0) return unseen("no answer shows the page's fields", probes.updateTitle, probes.updateRest);
  return holds(
    which === "sent" ? "all five fields changed when sent" : "all five fields stayed when not sent",
    ...evidence,
  );
}

/**
 * Whether a field is as it should be; `undefined` when it is not shown. A service may show a field otherwise than it was
 * sent, at all times the same: what stands under its name must then change, or stay, with it.
 */
function judgeField(
  shown: Shown,
  name: string,
  expected: Fields,
  was: Fields,
  before: readonly Shown[],
): boolean | undefined {
  if (showsField(shown.value, expected, name)) return true;
  const wanted = textsOf(expected, name);
  const isSent = !isDeepStrictEqual(wanted, textsOf(was, name));
  if (isSent && showsField(shown.value, was, name)) return false;
  const named = underName(shown.value, name);
  const earlier = before.map(({ value }) => underName(value, name)).filter((value) => value !== undefined);
  if (isPlainValue(named) && earlier.length > 0)
    return earlier.some((value) => isDeepStrictEqual(value, named)) !== isSent;
  if (isPlainValue(named)) return false;
  const wasShown = before.some(({ value, isListed }) => isListed && showsField(value, was, name));
  return shown.isListed && wasShown ? false : undefined;
}

function judgeDelete(seen: Observations): Judgement {
  const { probes, listings, ids } = seen;
  if (probes.delete === undefined) return unseen("no page could be made and addressed");
  if (!hasSucceeded(probes.delete)) return broken(`a delete ${answered(probes.delete)}`, probes.delete);
  if (hasSucceeded(probes.updateDeleted))
    return broken(
      `an update of the deleted page ${answered(probes.updateDeleted)}`,
      probes.delete,
      probes.updateDeleted,
    );
  const texts = [seen.sent.shortest.slug, seen.sent.otherTitle];
  if (listings.deleted && findElement(seen, listings.deleted, ids.shortest, texts) !== undefined)
    return broken("the deleted page is still listed", probes.delete, ...listings.deleted.exchanges);
  return holds("the deleted page is neither found nor listed", probes.delete, probes.updateDeleted);
}

/** A page that is known to be gone is asked for: whether an identifier was ever one cannot be told from its looks. */
function judgeNotFound(seen: Observations): Judgement {
  const { probes } = seen;
  if (!hasSucceeded(probes.delete))
    return unseen("no page could be deleted, so none is known to be gone", probes.delete);
  if (hasSucceeded(probes.updateDeleted))
    return unseen("the deleted page is still there", probes.delete, probes.updateDeleted);
  return allAnswer(seen, ["updateDeleted", "deleteDeleted"], 404);
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

function probesOf(caller: "anonymous" | "wrongKey"): ProbeName[] {
  return (["list", "create", "update", "delete", "event"] as const).map((endpoint) => `${caller}-${endpoint}` as const);
}

function allAnswer({ probes }: Observations, names: readonly ProbeName[], status: number): Judgement {
  const seen = names.map((name) => probes[name]).filter((exchange) => exchange !== undefined);
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
