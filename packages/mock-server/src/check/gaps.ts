// Finds a service's interpretation of every gap from the observations of a check.
import {
  type GapId,
  gaps,
  maxListLimit,
  rateLimitHeaderNames,
  type Reading,
  referenceSwitches,
} from "@landing-page-service/contract";
import { type AnswerTemplates, type Json, namedAnswers, shapeSwitches } from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { hasNumberIds } from "./facts.ts";
import { entriesOf, mentions } from "./json.ts";
import { findElement, listAt, readCreatedId } from "./pages.ts";
import type { ProbeName, Session } from "./probes.ts";
import { answered, type Finding, found, type ReadLimit, unseen } from "./statements.ts";

/** Finds the interpretation of every gap. */
export function observeGaps(
  session: Session,
  templates: Partial<AnswerTemplates>,
  readLimit: ReadLimit,
): Readonly<Record<GapId, Finding>> {
  const shapes = findShapes(templates);
  const ids = Object.keys(gaps) as GapId[]; // why: its own keys
  const findings = ids.map((id): [GapId, Finding] => {
    if (!shapeSwitches.some((shape) => shape === id))
      return [id, observers[id]?.(session, readLimit) ?? unseen(invisible)];
    const evidence = session.probes[shownBy[id] ?? "create"];
    const reading = shapes.get(id);
    return [id, found(reading, reading ?? "in none of the ways that have a name", evidence)];
  });
  return Object.fromEntries(findings) as Record<GapId, Finding>; // why: one entry for each key
}

const invisible = "cannot be seen from outside";

/** The probe that shows how responses are shaped, where it is not the create. */
const shownBy: Partial<Record<GapId, ProbeName>> = {
  "page-record": "shortest",
  "list-envelope": "listOne",
  "list-total": "listOne",
  "list-record": "listOne",
  "envelope-depth": "listOne",
  "update-body": "updateTitle",
  "delete-status": "delete",
  "event-status": "event",
  "error-body": "invalid-create",
};

/** The interpretations about shapes: for each gap the one whose templates have most in common with the learned ones. */
function findShapes(templates: Partial<AnswerTemplates>): Map<string, string> {
  const learned = new Set(listLines(templates));
  const chosen = new Map<string, string>();
  // Twice, because one may depend on another. An interpretation that adds nothing to see, such as "none", is chosen only in the second round.
  for (const [index, id] of [...shapeSwitches, ...shapeSwitches].entries()) {
    const options = Object.keys(gaps[id].readings).map((reading) => {
      const switches = { ...referenceSwitches, ...Object.fromEntries(chosen), [id]: reading };
      return { reading, lines: new Set(listLines(namedAnswers(switches))) };
    });
    const scored = options.map(({ reading, lines }) => {
      const own = [...lines].filter((line) => !options.every((other) => other.lines.has(line)));
      const seen = own.filter((line) => learned.has(line)).length;
      return { reading, count: own.length, share: own.length === 0 ? 0 : seen / own.length };
    });
    const [best] = scored.toSorted((one, other) => other.share - one.share || other.count - one.count);
    const isLast = index >= shapeSwitches.length && best !== undefined && best.count > 0;
    const found =
      best !== undefined && best.share > 0 ? best : isLast ? scored.find(({ count }) => count === 0) : undefined;
    if (found === undefined) chosen.delete(id);
    else chosen.set(id, found.reading);
  }
  return chosen;
}

/** A line for every value in templates, such as `createPage.body.title = {title}`, with the page in its place. */
function listLines({ page = "", listedPage = "{page}", ...responses }: Partial<AnswerTemplates>): string[] {
  const visit = (part: unknown, way: string): string[] => {
    if (part === "{page}") return visit(page, way);
    if (part === "{listedPage}") return visit(listedPage, way);
    if (typeof part !== "object" || part === null) return [`${way} = ${String(part)}`];
    return entriesOf(part).flatMap(([name, inner]) => visit(inner as Json, `${way}.${name}`)); // why: a part of JSON
  };
  return visit(responses, "");
}

type Observer<Id extends GapId> = (session: Session, readLimit: ReadLimit) => Finding<Reading<Id>>;

const observers: { readonly [Id in GapId]?: Observer<Id> } = {
  "create-required": observeRequired,
  bounds: byStatus("updateTooLong", { 400: "bounded" }, "a title of 301 characters: "),
  "slug-format": byStatus("updateSlugFormat", { 400: "hyphenated" }, 'the slug "Not A Slug": '),
  "slug-unique": byStatus("twin", { 2: "shared", 400: "refused-400", 409: "refused-409" }),
  "unknown-fields": byStatus("updateUnknownField", { 2: "ignored", 400: "refused" }),
  "cta-type": byStatus("updateCtaType", { 2: "any", 400: "button" }),
  "page-id-type": (session) =>
    session.ids.full === undefined
      ? unseen("no response shows an identifier", session.probes.create)
      : found(hasNumberIds(session) ? "integer" : "string", session.ids.full, session.probes.create),
  "event-fields": () => unseen("not tried: an event cannot be taken back"),
  "list-order": observeOrder,
  "list-max": observeMax,
  "list-filters": observeFilters,
  "empty-update": byStatus("updateNothing", { 2: "unchanged", 400: "refused" }),
  "cta-update": observeCtaUpdate,
  "event-page": byStatus("eventUnknown", { 2: "accepted", 400: "refused-400", 404: "refused-404" }),
  "reset-unit": observeResetUnit,
  limits: ({ probes: { list } }) => {
    const limit = list?.answer?.headers[rateLimitHeaderNames.limit.toLowerCase()];
    return unseen(limit === undefined ? "the header is missing" : `${rateLimitHeaderNames.limit}: ${limit}`, list);
  },
  idempotency: observeIdempotency,
  "method-routing": ({ probes: { unknownPath, wrongMethod } }) => {
    const [unknown, wrong] = [unknownPath?.answer?.status, wrongMethod?.answer?.status];
    const note = `an unknown path ${unknown}, a wrong method ${wrong}`;
    return found(unknown === 404 && wrong === 405 ? "404-405" : undefined, note, unknownPath, wrongMethod);
  },
  "body-limits": byStatus("updatePlainText", { 415: "1-mib" }, "JSON sent as text/plain: "),
  "key-format": () => unseen("cannot be told from one key"),
};

/** Whether a field was refused. A service that does not use 400 uses another status for all fields. */
function isRefused({ probes }: Session, exchange: Exchange | undefined): boolean {
  const { status = 0 } = exchange?.answer ?? {};
  return status === 400 || (status > 400 && status === probes["invalid-create"]?.answer?.status);
}

/** The interpretation for a status; `2` means any success, `400` the status of any refused field. */
function byStatus<Name extends string>(probe: ProbeName, readings: Readonly<Record<number, Name>>, what = "") {
  return (session: Session): Finding<Name> => {
    const exchange = session.probes[probe];
    const { status = 0 } = exchange?.answer ?? {};
    const kind = hasSucceeded(exchange) ? 2 : isRefused(session, exchange) ? 400 : status;
    return found(readings[status] ?? readings[kind], what + answered(exchange), exchange);
  };
}

function observeRequired(session: Session): Finding<"all-but-description"> {
  const { probes } = session;
  const names = ["without-title", "without-content", "without-slug", "without-cta"] as const;
  const taken = names.filter((name) => !isRefused(session, probes[name]));
  const evidence = names.map((name) => probes[name]);
  if (taken.length > 0) return unseen(`not refused as a wrong field is: create ${taken.join(", ")}`, ...evidence);
  if (!hasSucceeded(probes.shortest)) return unseen("a create without a description fails too", probes.shortest);
  return found("all-but-description", "a create without any of the four is refused", ...evidence);
}

function observeOrder(session: Session): Finding<Reading<"list-order">> {
  const { listings, ids, sent } = session;
  const { made } = listings;
  const one = findElement(session, made, ids.full, sent.full);
  const other = findElement(session, made, ids.shortest, sent.shortest);
  if (made === undefined || one === undefined || other === undefined)
    return unseen("the two pages that were made were not both found in the listing");
  const order = made.elements.indexOf(one) < made.elements.indexOf(other) ? "oldest-first" : "newest-first";
  return found(order, "by the two pages that were made", ...made.exchanges);
}

function observeMax(session: Session, readLimit: ReadLimit): Finding<Reading<"list-max">> {
  const { listHuge } = session.probes;
  if (isRefused(session, listHuge)) return found("refused", `limit=100000 ${answered(listHuge)}`, listHuge);
  if (!hasSucceeded(listHuge) || session.listPath === undefined)
    return unseen("limit=100000 did not return a list", listHuge);
  const limit = readLimit(listHuge);
  if (limit === undefined || limit >= 100_000)
    return found("unbounded", "limit=100000 is taken, and nothing says that it is lowered", listHuge);
  return found("clamped", `lowered to ${limit}${limit === maxListLimit ? "" : `, not ${maxListLimit}`}`, listHuge);
}

function observeFilters({ probes: { listFiltered }, sent, listPath }: Session): Finding<"slug-domain-q"> {
  const elements = hasSucceeded(listFiltered) ? listAt(jsonOf(listFiltered), listPath) : [];
  return elements.length > 0 && elements.every(({ value }) => mentions(value, sent.full.slug))
    ? found("slug-domain-q", "a filter by slug: heeded", listFiltered)
    : unseen("a filter by slug: not heeded, or the list cannot be read", listFiltered);
}

/** The listing shows what is stored; the response to the update may be no more than an echo of what was sent. */
function observeCtaUpdate(session: Session): Finding<Reading<"cta-update">> {
  const { probes, listings, ids, sent } = session;
  const { updateCta } = probes;
  if (updateCta?.answer?.status === 400) return found("replace", "a partial cta is refused", updateCta);
  if (!hasSucceeded(updateCta)) return unseen(`a partial cta ${answered(updateCta)}`, updateCta);
  const { url } = sent.rest.cta;
  const shows = (listing: typeof listings.partial) =>
    mentions(findElement(session, listing, ids.full, { title: sent.title })?.value, url);
  if (shows(listings.partial) || mentions(jsonOf(updateCta), url))
    return found("merge", "the url that was not sent stayed", updateCta);
  // What the listing never shows is not gone.
  return shows(listings.rewritten)
    ? found("replace", "the url that was not sent is gone", updateCta, ...(listings.partial?.exchanges ?? []))
    : unseen("no response shows what became of the cta", updateCta);
}

/** The largest value decides: just before the window ends, a count of seconds is small in every unit. */
function observeResetUnit({ exchanges }: Session): Finding<Reading<"reset-unit">> {
  const written = exchanges.map((exchange) => {
    const text = exchange.answer?.headers[rateLimitHeaderNames.reset.toLowerCase()] ?? "";
    return { exchange, value: /^\d{1,16}$/.test(text) ? Number(text) : -1 };
  });
  const [largest] = written.toSorted((one, other) => other.value - one.value);
  const { value, exchange } = largest ?? { value: -1 };
  if (value < 0) return unseen("no response has the header as an integer");
  const unit = value < 1e9 ? "seconds" : value < 1e11 ? "epoch-seconds" : "epoch-milliseconds";
  return found(unit, String(value), exchange);
}

function observeIdempotency(session: Session): Finding<Reading<"idempotency">> {
  const { probes, ids, idPlace, listings, sent } = session;
  const { create, repeat, twin } = probes;
  if (repeat === undefined || ids.full === undefined) return unseen("no page could be made", create);
  const same = "the same create with the same key";
  const again = readCreatedId(repeat, idPlace);
  if (again === ids.full) return found("honoured", `${same} gave the same page`, create, repeat);
  if (again !== undefined) return found("ignored", `${same} gave another page`, create, repeat);
  if (!hasSucceeded(repeat)) return found("ignored", `${same} was refused`, create, repeat);
  // The responses do not say which page they are about, so the pages are counted: the twin is one of them.
  const { elements, isWhole } = listings.rewritten ?? { elements: [], isWhole: false };
  const slugs = [sent.full.slug, sent.rest.slug];
  const made = elements.filter(({ value }) => slugs.some((slug) => mentions(value, slug))).length;
  if (made > (hasSucceeded(twin) ? 2 : 1)) return found("ignored", `${same} made another page`, create, repeat);
  return made > 0 && isWhole
    ? found("honoured", `${same} made no other page`, create, repeat)
    : unseen("no response shows which page a repeated create gave", create, repeat);
}
