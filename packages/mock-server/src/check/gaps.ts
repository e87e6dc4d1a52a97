// Finds a service's interpretation of every gap from the observations of a check.
import { isDeepStrictEqual } from "node:util";
import {
  type GapId,
  gaps,
  maxListLimit,
  rateLimitHeaderNames,
  type Interpretation,
  referenceSwitches,
  type SwitchId,
} from "@landing-page-service/contract";
import {
  type AnswerTemplates,
  namedAnswers,
  referenceDialect,
  shapeSwitches,
} from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { hasIntegerIds } from "./facts.ts";
import { mentions } from "./json.ts";
import { listAt } from "./lists.ts";
import { findElement, readCreatedId } from "./pages.ts";
import type { ProbeName, Session } from "./probes.ts";
import { type Derived, type Finding, found, notObserved, outcomeOf } from "./statements.ts";

/** Finds the interpretation of every gap. */
export function observeGaps(
  session: Session,
  templates: Partial<AnswerTemplates>,
  derived: Derived,
): Readonly<Record<GapId, Finding>> {
  const ids = Object.keys(gaps) as GapId[]; // why: its own keys
  const findings = ids.map((id): [GapId, Finding] => {
    const shape = shapeSwitches.find((one) => one === id);
    if (shape !== undefined) return [id, observeShape(session, templates, shape)];
    return [id, observers[id]?.(session, derived) ?? notObserved("not observable from outside")];
  });
  return Object.fromEntries(findings) as Record<GapId, Finding>; // why: one entry for each key
}

/** The probe that shows each response. */
const shownBy = {
  page: "create",
  createPage: "create",
  listedPage: "listOne",
  listPages: "listOne",
  updatePage: "updateTitle",
  deletePage: "delete",
  trackEvent: "event",
  error: "invalid-create",
} as const satisfies { readonly [Name in keyof AnswerTemplates]?: ProbeName };
const shownNames = Object.keys(shownBy) as (keyof typeof shownBy)[]; // why: its own keys

/** Observes a gap about the shape of responses. Finds the interpretation whose templates are exactly the learned ones. */
function observeShape({ probes }: Session, templates: Partial<AnswerTemplates>, id: SwitchId): Finding {
  const { answers } = referenceDialect;
  const interpretations = Object.keys(gaps[id].interpretations);
  const choices = interpretations.map((interpretation) => namedAnswers({ ...referenceSwitches, [id]: interpretation }));
  const names = shownNames.filter((name) => choices.some((one) => !isDeepStrictEqual(one[name], answers[name])));
  const evidence = names.map((name) => probes[shownBy[name]]);
  if (names.some((name) => templates[name] === undefined)) return notObserved("no response shows it", ...evidence);
  const isLearned = (choice: Partial<AnswerTemplates> | undefined) => (name: keyof AnswerTemplates) =>
    isDeepStrictEqual(templates[name], choice?.[name]);
  const interpretation = interpretations.find((_, index) => names.every(isLearned(choices[index])));
  if (interpretation !== undefined) return found(interpretation, interpretation, ...evidence);
  const others = names.filter((name) => !isLearned(answers)(name)).map((name) => `answers/${name}`);
  return notObserved(`see ${others.join(", ")} in the dialect`, ...evidence);
}

type Observer<Id extends GapId> = (session: Session, derived: Derived) => Finding<Interpretation<Id>>;

const observers: { readonly [Id in GapId]?: Observer<Id> } = {
  "create-required": observeRequired,
  bounds: byStatus("updateTooLong", { 400: "bounded" }, "a title of 301 characters: "),
  "slug-format": byStatus("updateSlugFormat", { 400: "hyphenated" }, 'the slug "Not A Slug": '),
  "slug-unique": byStatus("twin", { 2: "shared", 400: "refused-400", 409: "refused-409" }),
  "unknown-fields": byStatus("updateUnknownField", { 2: "ignored", 400: "refused" }),
  "cta-type": byStatus("updateCtaType", { 2: "any", 400: "button" }),
  "page-id-type": (session) =>
    session.ids.full === undefined
      ? notObserved("no response shows an identifier", session.probes.create)
      : found(hasIntegerIds(session) ? "integer" : "string", session.ids.full, session.probes.create),
  "event-fields": () => notObserved("not tried, because an event cannot be deleted"),
  "list-order": observeOrder,
  "list-max": observeMax,
  "list-filters": observeFilters,
  "empty-update": byStatus("updateNothing", { 2: "unchanged", 400: "refused" }),
  "cta-update": observeCtaUpdate,
  "event-page": byStatus("eventUnknown", { 2: "accepted", 400: "refused-400", 404: "refused-404" }),
  "reset-unit": observeResetUnit,
  limits: ({ probes: { list } }) => {
    const limit = list?.answer?.headers[rateLimitHeaderNames.limit.toLowerCase()];
    return notObserved(limit === undefined ? "the header is missing" : `${rateLimitHeaderNames.limit}: ${limit}`, list);
  },
  idempotency: observeIdempotency,
  "method-routing": ({ probes: { unknownPath, wrongMethod } }) => {
    const [unknown, wrong] = [unknownPath?.answer?.status, wrongMethod?.answer?.status];
    const note = `an unknown path ${unknown}, a wrong method ${wrong}`;
    return found(unknown === 404 && wrong === 405 ? "404-405" : undefined, note, unknownPath, wrongMethod);
  },
  "body-limits": byStatus("updatePlainText", { 415: "1-mib" }, "JSON sent as text/plain: "),
  "key-format": () => notObserved("one key does not show it"),
};

/** Whether a response refuses a field, with 400 or with the status of this service for any wrong field. */
function isRefused({ probes }: Session, { readStatus }: Derived, exchange: Exchange | undefined): boolean {
  const status = readStatus(exchange);
  return status === 400 || (status > 400 && status === readStatus(probes["invalid-create"]));
}

/** Makes an observer that reads the interpretation from a status. `2` is any success, `400` any refusal of a field. */
function byStatus<Name extends string>(probe: ProbeName, interpretations: Readonly<Record<number, Name>>, what = "") {
  return (session: Session, derived: Derived): Finding<Name> => {
    const exchange = session.probes[probe];
    const status = derived.readStatus(exchange);
    const kind = status >= 200 && status < 300 ? 2 : isRefused(session, derived, exchange) ? 400 : status;
    return found(interpretations[status] ?? interpretations[kind], what + outcomeOf(exchange), exchange);
  };
}

function observeRequired(session: Session, derived: Derived): Finding<"all-but-description"> {
  const { probes } = session;
  const names = ["without-title", "without-content", "without-slug", "without-cta"] as const;
  const accepted = names.filter((name) => !isRefused(session, derived, probes[name]));
  const evidence = names.map((name) => probes[name]);
  if (accepted.length > 0) return notObserved(`not refused: create ${accepted.join(", ")}`, ...evidence);
  if (!hasSucceeded(probes.shortest)) return notObserved("a create without a description fails too", probes.shortest);
  return found("all-but-description", "a create that lacks one of the four other fields is refused", ...evidence);
}

function observeOrder(session: Session): Finding<Interpretation<"list-order">> {
  const { made } = session.listings;
  const one = findElement(session, made, "full");
  const other = findElement(session, made, "shortest");
  if (made === undefined || one === undefined || other === undefined)
    return notObserved("the list does not show both created pages");
  const order = made.elements.indexOf(one) < made.elements.indexOf(other) ? "oldest-first" : "newest-first";
  return found(order, "by the two created pages", ...made.exchanges);
}

function observeMax(session: Session, derived: Derived): Finding<Interpretation<"list-max">> {
  const { listHuge } = session.probes;
  if (isRefused(session, derived, listHuge)) return found("refused", `limit=100000 ${outcomeOf(listHuge)}`, listHuge);
  if (!hasSucceeded(listHuge) || session.listPath === undefined)
    return notObserved("limit=100000 did not return a list", listHuge);
  const limit = derived.readLimit(listHuge);
  if (limit === undefined || limit >= 100_000)
    return found("unbounded", "limit=100000 is accepted, and the response shows no lower limit", listHuge);
  return found("clamped", `lowered to ${limit}${limit === maxListLimit ? "" : `, not ${maxListLimit}`}`, listHuge);
}

function observeFilters({ probes: { listFiltered }, sent, listPath }: Session): Finding<"slug-domain-q"> {
  const elements = hasSucceeded(listFiltered) ? listAt(jsonOf(listFiltered), listPath) : [];
  return elements.length > 0 && elements.every(({ value }) => mentions(value, sent.full.slug))
    ? found("slug-domain-q", "the slug filter works", listFiltered)
    : notObserved("the slug filter is ignored, or the list cannot be read", listFiltered);
}

/** Observes a partial `cta` in the list, because the response to an update may only echo the request. */
function observeCtaUpdate(session: Session, { readStatus }: Derived): Finding<Interpretation<"cta-update">> {
  const { probes, listings, sent } = session;
  const { updateCta } = probes;
  if (readStatus(updateCta) === 400) return found("replace", "a partial cta is refused", updateCta);
  if (!hasSucceeded(updateCta)) return notObserved(`a partial cta ${outcomeOf(updateCta)}`, updateCta);
  const { url } = sent.rest.cta;
  const shows = (listing: typeof listings.partial) => mentions(findElement(session, listing, "full")?.value, url);
  if (shows(listings.partial) || mentions(jsonOf(updateCta), url))
    return found("merge", "the url that was not sent stayed", updateCta);
  // A field that the list never shows may still be stored.
  return shows(listings.rewritten)
    ? found("replace", "the url that was not sent is gone", updateCta, ...(listings.partial?.exchanges ?? []))
    : notObserved("no response shows the cta after the update", updateCta);
}

/** Observes the unit of the reset header from its largest value, because any unit gives a small number just before the window ends. */
function observeResetUnit({ exchanges }: Session): Finding<Interpretation<"reset-unit">> {
  const written = exchanges.map((exchange) => {
    const text = exchange.answer?.headers[rateLimitHeaderNames.reset.toLowerCase()] ?? "";
    return { exchange, value: /^\d{1,16}$/.test(text) ? Number(text) : -1 };
  });
  const [largest] = written.toSorted((one, other) => other.value - one.value);
  const { value, exchange } = largest ?? { value: -1 };
  if (value < 0) return notObserved("no response has the header as an integer");
  const unit = value < 1e9 ? "seconds" : value < 1e11 ? "epoch-seconds" : "epoch-milliseconds";
  return found(unit, String(value), exchange);
}

function observeIdempotency(session: Session): Finding<Interpretation<"idempotency">> {
  const { probes, ids, idPlace, listings, sent } = session;
  const { create, repeat, twin } = probes;
  if (repeat === undefined || ids.full === undefined) return notObserved("no page could be created", create);
  const same = "the same create with the same key";
  const again = readCreatedId(repeat, idPlace);
  if (again === ids.full) return found("honoured", `${same} returned the same page`, create, repeat);
  if (again !== undefined) return found("ignored", `${same} returned another page`, create, repeat);
  if (!hasSucceeded(repeat)) return found("ignored", `${same} was refused`, create, repeat);
  // The responses do not identify the page, so count the pages. The twin is one of them.
  const { elements, isWhole } = listings.rewritten ?? { elements: [], isWhole: false };
  const slugs = [sent.full.slug, sent.rest.slug];
  const made = elements.filter(({ value }) => slugs.some((slug) => mentions(value, slug))).length;
  if (made > (hasSucceeded(twin) ? 2 : 1)) return found("ignored", `${same} created another page`, create, repeat);
  return made > 0 && isWhole
    ? found("honoured", `${same} created no other page`, create, repeat)
    : notObserved("no response shows which page the repeated create returned", create, repeat);
}
