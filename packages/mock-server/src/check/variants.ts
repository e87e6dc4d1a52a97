// What may be known of an answer when no one can be sure: the likeliest first.
import type { Facts } from "@landing-page-service/contract/dialect";
import { unknownDomains } from "./match.ts";
import type { Sights } from "./sights.ts";
import { findSent } from "./list-samples.ts";
import { type Known, pageFacts, type Sight } from "./samples.ts";
import { wasEmpty } from "./visit.ts";

type Domains = NonNullable<Facts["page"]>["domains"];
const anyDomains: readonly Domains[] = [unknownDomains.slice(0, 1), unknownDomains, []];

/** What may be known of a page: an answer that no longer shows its domains may be the one that is compared. */
export function knowPages({ domains: told }: Pick<Sights, "domains">, facts: Facts): readonly Facts[] {
  const { page } = facts;
  if (page === undefined) return [facts];
  const known = (told.get(String(page.id)) ?? page.domains).map(({ name, url }) => {
    return { name, url: url === "" ? `https://${name}/page` : url };
  });
  return (known.length > 0 ? [known, known.slice(0, 1), []] : anyDomains).map((domains) =>
    withPage(facts, Object.assign({}, page, { domains })),
  );
}

/** What may be known of a list: a total that is no longer told does not say whether more pages follow. */
export function knowLists(facts: Facts): readonly Facts[] {
  const { list } = facts;
  if (list === undefined) return [facts];
  const end = list.offset + Math.max(list.count, 1);
  return [list.total, end, end + 1].map((total) =>
    Object.assign({}, facts, { list: Object.assign({}, list, { total }) }),
  );
}

/** What may be known of a page in a list; nothing where it is none of the visit's. */
export function knowListed(sights: Sights, { exchange, facts }: Sight, value: unknown): readonly Facts[] {
  const { visit } = sights;
  const isLater = visit.views.deleted?.exchanges.includes(exchange) === true;
  const { sent, fullId, twinId, shortestId } = visit;
  const sentNow = findSent(visit, undefined, value, isLater);
  const all: (readonly [string | undefined, Known])[] = [
    [fullId, sent.full],
    [twinId, sent.full],
    [shortestId, sent.shortest],
  ];
  const isOurs = wasEmpty(visit) && !isLater;
  // A service may put a number behind a slug that is taken, and then any of them may be meant.
  const same = all.filter(([, { slug }]) => slug === sentNow?.slug);
  const others = sentNow === undefined ? (isOurs ? all : []) : all.map(([id]) => [id, sentNow] as const);
  const known = same.length > 0 ? same : others;
  return known.flatMap(([id, page]) =>
    knowPages(sights, withPage(facts, pageFacts(sights, undefined, page, id, exchange))),
  );
}

function withPage(facts: Facts, page: Facts["page"]): Facts {
  return { ...facts, page };
}
