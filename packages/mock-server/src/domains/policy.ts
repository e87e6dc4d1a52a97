import type { RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { describeLanguage, type DomainLocale, fitLocale, type PageLanguage } from "./page-locale.ts";

/** A domain as its policy is read. */
export interface Place {
  domain: Domain;
  locale: DomainLocale | undefined;
}

/** What a domain's policy asks of a page. */
export interface PolicyRequest {
  language: PageLanguage;
  /** Host of `cta.url`; `undefined` when that is no URL. */
  ctaHost: string | undefined;
}

/** Why a domain does not take a page. */
export type Refusal = Pick<RejectedDomain, "reason" | "detail">;

/** Why a domain may not serve a page, at a create and at every update; `undefined` when it may. */
export function refuse({ domain, locale }: Place, { language, ctaHost }: PolicyRequest): Refusal | undefined {
  if (domain.active === false) return { reason: "inactive", detail: "takes no new pages" };
  if (locale !== undefined && fitLocale(locale, language) === "no") {
    return {
      reason: "locale",
      detail: `serves ${locale.locale.name}, while the page is ${describeLanguage(language)}`,
    };
  }
  const blocked = domain.blockedCtaHosts?.find((host) => ctaHost === host || ctaHost?.endsWith(`.${host}`));
  if (blocked === undefined) return undefined;
  return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
}

/** Why a domain has no room for another page; `undefined` when it has. */
export function refuseFull(
  { domain: { name, capacity } }: Place,
  load: (domainName: string) => number,
): Refusal | undefined {
  const pages = capacity === undefined ? 0 : load(name);
  if (capacity === undefined || pages < capacity) return undefined;
  return { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}
