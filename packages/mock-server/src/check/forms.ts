// Tells from what a visit saw how much a service answers, and in which form.
import { isObject } from "@landing-page-service/contract";
import { readJson, readListIn, readPageIn } from "./answers.ts";
import { findById } from "./listing.ts";
import { type Observation, reads, unseen } from "./observation.ts";
import type { Visit } from "./visit.ts";

/** How a service writes the domains of a page. */
export function observeDomains({ views, fullId, steps }: Visit): Observation<"domain-form"> {
  const record = readPageIn(steps.create)?.record ?? findById(views.made?.pages ?? [], fullId)?.record;
  const { domains, domain } = record ?? {};
  if (isObject(domain)) return reads("one", "one object under `domain`", steps.create);
  if (isObject(domains)) return reads("map", "an object by host name", steps.create);
  const [first] = Array.isArray(domains) ? (domains as unknown[]) : []; // why: `isArray` makes it any[]
  if (isObject(first)) return reads("objects", Object.keys(first).join(", "), steps.create);
  if (typeof first !== "string") return unseen("no answer shows domains", steps.create);
  return URL.canParse(first) ? reads("urls", first, steps.create) : reads("names", first, steps.create);
}

/** How it writes moments. */
export function observeTimes({ views, fullId, steps }: Visit): Observation<"time-form"> {
  const record = readPageIn(steps.create)?.record ?? findById(views.made?.pages ?? [], fullId)?.record;
  const moment = record?.["created_at"];
  if (typeof moment === "string") return reads("iso", moment, steps.create);
  if (typeof moment !== "number") return unseen("no answer shows created_at", steps.create);
  return moment < 1e11
    ? reads("epoch-seconds", String(moment), steps.create)
    : reads("epoch-milliseconds", String(moment), steps.create);
}

/** What its answer to a create shows. */
export function observeCreated({ steps: { create } }: Visit): Observation<"create-body"> {
  const found = readPageIn(create);
  if (found === undefined) return unseen("no page could be made", create);
  if (found.page.slug !== undefined) return reads("page", "shows the fields of the page", create);
  if (readJson(create) !== undefined)
    return found.page.id === undefined ? unseen("another body", create) : reads("id", found.page.id, create);
  const { location } = create?.answer?.headers ?? {};
  return location === undefined ? unseen("no body, no Location", create) : reads("location", location, create);
}

/** What its answer to an update shows. */
export function observeUpdated({ steps: { updateTitle: update } }: Visit): Observation<"update-body"> {
  if (update?.answer === undefined) return unseen("no page could be made", update);
  const { status, body } = update.answer;
  if (body === "") return status === 204 ? reads("204-empty", "204", update) : reads("200-empty", "no body", update);
  const page = readPageIn(update)?.page;
  if (page?.slug !== undefined) return reads("page", "shows the fields of the page", update);
  if (page?.title !== undefined) return reads("changes", "shows what was sent", update);
  const json = readJson(update);
  return isObject(json) && json["success"] === true ? reads("flag", body, update) : unseen("another body", update);
}

/** Whether it lists whole pages. */
export function observeListed({ views, fullId }: Visit): Observation<"list-record"> {
  const page = findById(views.made?.pages ?? [], fullId)?.page;
  if (page === undefined) return unseen("the page was not found in the listing");
  const exchanges = views.made?.exchanges ?? [];
  return page.content === undefined
    ? reads("summary", "without the content", ...exchanges)
    : reads("page", "with the content", ...exchanges);
}

/** How deep it puts the pages of a list. */
export function observeDepth({ views }: Visit): Observation<"envelope-depth"> {
  const [exchange] = views.made?.exchanges ?? [];
  const place = readListIn(exchange)?.place;
  if (place === undefined) return unseen("no pages were found in the answer to a list", exchange);
  return place.startsWith("#/result/") || place === "#/result"
    ? reads("two", place, exchange)
    : reads("one", place, exchange);
}
