import type { RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue.ts";
import { describeLanguage, fitLocale, type Tag } from "./language.ts";
import type { ReadPage } from "./read-page.ts";

/** Why a domain does not take a page. */
export type Refusal = Pick<RejectedDomain, "reason" | "detail">;

/** Why a domain may not serve a page, at a create and at every update; `undefined` when it may. `tag` is the domain's locale. */
export function refuse({ active, blockedCtaHosts }: Domain, tag: Tag | undefined, page: ReadPage): Refusal | undefined {
  if (active === false) return { reason: "inactive", detail: "takes no new pages" };
  if (tag !== undefined && fitLocale(tag, page.language) === "no") {
    const detail = `serves ${tag.baseName}, while the page is ${describeLanguage(page.language)}`;
    return { reason: "locale", detail };
  }
  const ctaHost = blockedCtaHosts && URL.parse(page.ctaUrl)?.hostname.replace(/\.$/, "");
  const blocked = blockedCtaHosts?.find((host) => ctaHost === host || ctaHost?.endsWith(`.${host}`));
  if (blocked === undefined) return undefined;
  return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
}

/** Why a domain has no room for another page; `undefined` when it has. `load` is asked only where there is a capacity. */
export function refuseFull({ name, capacity }: Domain, load: (domainName: string) => number): Refusal | undefined {
  if (capacity === undefined) return undefined;
  const pages = load(name);
  return pages < capacity ? undefined : { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}

/**
 * Orders domain names for a key by rendezvous hashing, the winner first; different names never compare equal.
 * Over many keys each name wins equally often, and one that comes or goes moves only the keys it wins.
 */
export function compareByHash(key: string, one: string, other: string): number {
  const score = (name: string): number => mix(Math.imul(hash(key), 0x9e3779b1) ^ hash(name));
  return score(other) - score(one) || (one < other ? -1 : 1);
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return mix(state);
}

/** The finalizer of MurmurHash3: every bit in reaches every bit out. Gives 0 to 2^32 - 1. */
function mix(value: number): number {
  let state = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
