// Tells from what a visit saw where a service puts what it answers: the fields of a page, the pages of a list, the message of an error.
import { type FoundPage, isObject, rateLimitHeaderNames, type Reading } from "@landing-page-service/contract";
import { readJson, readListIn, readPageIn, wayTo } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import { findById } from "./listing.ts";
import { byName, type Observation, reads, unseen } from "./observation.ts";
import { hasNumberIds, type Visit } from "./visit.ts";

const documented = ["title", "content", "slug", "cta"];
const placed = ["domains", "created_at", "updated_at"];

/** Which fields a page has that a service returns. */
export function observeRecord(visit: Visit): Observation<"page-record"> {
  const seen = seenPage(visit, "shortest");
  if (seen === undefined) return unseen("no answer shows a page");
  const { fields, idName, exchange } = seen;
  const isKnown = new Set([idName, "status", "meta_description", ...documented, ...placed]);
  const further = Object.keys(fields).filter((name) => !isKnown.has(name));
  const isPlaced = placed.every((name) => name in fields);
  if (isPlaced && fields["meta_description"] === null && Array.isArray(fields["domains"]))
    return further.length > 0
      ? reads("extended", `further fields: ${further.join(", ")}`, exchange)
      : reads("full", Object.keys(fields).join(", "), exchange);
  const isMinimal =
    documented.every((name) => name in fields) &&
    !placed.some((name) => name in fields) &&
    !("meta_description" in fields) &&
    further.length === 0;
  return isMinimal
    ? reads("minimal", Object.keys(fields).join(", "), exchange)
    : unseen(`fields: ${Object.keys(fields).join(", ")}`, exchange);
}

/** Whether a page has a status. */
export function observeStates(visit: Visit): Observation<"page-states"> {
  const seen = seenPage(visit, "create");
  if (seen === undefined) return unseen("no answer shows a page");
  const { status } = seen.fields;
  return status === undefined
    ? reads("none", "a page has no status", seen.exchange)
    : reads("status", `status: ${JSON.stringify(status)}`, seen.exchange);
}

/** What the identifier of a page is called. */
export function observeIdName(visit: Visit): Observation<"page-id"> {
  const seen = seenPage(visit, "create");
  if (seen?.idName === undefined) return unseen("no answer shows an identifier", seen?.exchange);
  return byName("page-id", seen.idName, seen.exchange);
}

/** Whether the identifier of a page is a number. */
export function observeIdType(visit: Visit): Observation<"page-id-type"> {
  const id = visit.fullId;
  if (id === undefined) return unseen("no answer shows an identifier", visit.steps.create);
  return reads(hasNumberIds(visit) ? "integer" : "string", id, visit.steps.create);
}

/** What stands around a single page. */
export function observeWrapper({ steps: { create } }: Visit): Observation<"record-wrapper"> {
  const found = readPageIn(create);
  return found?.record === undefined
    ? unseen("no page was found in the answer to a create", create)
    : byName("record-wrapper", wayTo(found.places["record"] ?? "") || "bare", create);
}

/** Where in the answer to a list the pages are. */
export function observeEnvelope({ views }: Visit): Observation<"list-envelope"> {
  const [exchange] = views.made?.exchanges ?? [];
  const list = readListIn(exchange);
  return list === undefined
    ? unseen("no pages were found in the answer to a list", exchange)
    : byName("list-envelope", wayTo(list.place) || "array", exchange);
}

/** Where in the answer to a list the number of all pages is. */
export function observeTotal({ views }: Visit): Observation<"list-total"> {
  const [exchange] = views.made?.exchanges ?? [];
  const list = readListIn(exchange);
  if (list === undefined) return unseen("no pages were found in the answer to a list", exchange);
  return list.total === undefined
    ? reads("none", "no total was found", exchange)
    : byName("list-total", wayTo(list.total.place), exchange);
}

/** In which order pages are listed. */
export function observeOrder({ views, fullId, shortestId }: Visit): Observation<"list-order"> {
  const ids = (views.made?.pages ?? []).map(({ page }) => page.id);
  const [first, second] = [fullId, shortestId].map((id) => (id === undefined ? -1 : ids.indexOf(id)));
  if (first === undefined || second === undefined || first < 0 || second < 0)
    return unseen("the two pages that were made were not both found in the listing");
  return reads(
    first < second ? "oldest-first" : "newest-first",
    "by the two pages that were made",
    ...(views.made?.exchanges ?? []),
  );
}

/** What the body of an error looks like. */
export function observeErrorBody({ steps }: Visit): Observation<"error-body"> {
  const exchange = steps["invalid-create"];
  if (exchange?.answer === undefined || exchange.answer.status < 400) return unseen("no error was seen", exchange);
  const { body, headers } = exchange.answer;
  const json = readJson(exchange);
  if (body === "") return reads("empty", "no body", exchange);
  if (isObject(json)) {
    const shape = errorShapes.find(([, has]) => has(json))?.[0];
    return shape === undefined
      ? unseen(`members: ${Object.keys(json).join(", ")}`, exchange)
      : reads(shape, Object.keys(json).join(", "), exchange);
  }
  if (json !== undefined) return unseen("JSON, but no object", exchange);
  const isHtml = /html/.test(headers["content-type"] ?? "") || /^\s*<(?:!doctype|html)/i.test(body);
  return reads(isHtml ? "html" : "text", headers["content-type"] ?? "no content type", exchange);
}

const errorShapes: readonly (readonly [Reading<"error-body">, (json: Record<string, unknown>) => boolean])[] = [
  ["problem", (json) => typeof json["title"] === "string" && typeof json["detail"] === "string"],
  ["error-object", (json) => isObject(json["error"])],
  ["error-string", (json) => typeof json["error"] === "string"],
  ["errors", (json) => Array.isArray(json["errors"])],
  ["message", (json) => typeof json["message"] === "string"],
];

/** The largest value decides: just before the window ends, a count of seconds is small in every unit. */
export function observeResetUnit(_visit: Visit, exchanges: readonly Exchange[]): Observation<"reset-unit"> {
  const name = rateLimitHeaderNames.reset.toLowerCase();
  let largest: { value: number; exchange: Exchange } | undefined;
  for (const exchange of exchanges) {
    const text = exchange.answer?.headers[name] ?? "";
    if (/^\d{1,16}$/.test(text) && Number(text) >= (largest?.value ?? 0)) largest = { value: Number(text), exchange };
  }
  if (largest === undefined) return unseen("no answer has the header as an integer");
  const { value, exchange } = largest;
  return reads(
    value < 1e9 ? "seconds" : value < 1e11 ? "epoch-seconds" : "epoch-milliseconds",
    String(value),
    exchange,
  );
}

interface SeenPage {
  /** Fields as they came. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Name of the identifier among them, or the way to it. */
  readonly idName: string | undefined;
  readonly exchange: Exchange;
}

/** A page as the answer to a create shows it, or else the listing. */
function seenPage(visit: Visit, step: "create" | "shortest"): SeenPage | undefined {
  const exchange = visit.steps[step];
  const found = readPageIn(exchange);
  // An answer with the identifier alone shows no page.
  if (found?.page.slug !== undefined && exchange !== undefined) return see(found, exchange);
  const listed = findById(visit.views.made?.pages ?? [], step === "create" ? visit.fullId : visit.shortestId);
  const [shown] = visit.views.made?.exchanges ?? [];
  return listed !== undefined && shown !== undefined ? see(listed, shown) : undefined;
}

function see({ record, places }: FoundPage, exchange: Exchange): SeenPage | undefined {
  if (record === undefined) return undefined;
  const [from = "", id] = [places["record"], places["id"]];
  return { fields: record, idName: id?.startsWith("#") ? wayTo(id.replace(from, "#")) : undefined, exchange };
}
