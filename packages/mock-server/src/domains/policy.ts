import type { RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { describeLanguage, fitLocale, type Tag } from "./page-locale.ts";
import type { PlacementRequest } from "./placement-request.ts";

/** A domain as its policy is read. */
export interface Place {
  domain: Domain;
  /** Where it stands in the catalogue. */
  index: number;
  locale: Tag | undefined;
}

/** Why a domain does not take a page. */
export type Refusal = Pick<RejectedDomain, "reason" | "detail">;

/** Why a domain may not serve a page, at a create and at every update, nor has room for it, where a load is given; `undefined` when it may. */
export function refuse(
  { domain: { name, active, blockedCtaHosts, capacity }, locale }: Place,
  { language, ctaUrl }: PlacementRequest,
  load?: (domainName: string) => number,
): Refusal | undefined {
  if (active === false) return { reason: "inactive", detail: "takes no new pages" };
  if (locale !== undefined && fitLocale(locale, language) === "no")
    return { reason: "locale", detail: `serves ${locale.baseName}, while the page is ${describeLanguage(language)}` };
  const ctaHost = blockedCtaHosts && URL.parse(ctaUrl)?.hostname.replace(/\.$/, "");
  const blocked = blockedCtaHosts?.find((host) => ctaHost === host || ctaHost?.endsWith(`.${host}`));
  if (blocked !== undefined)
    return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
  if (capacity === undefined || load === undefined) return undefined;
  const pages = load(name);
  return pages < capacity ? undefined : { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}
