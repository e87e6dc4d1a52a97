// The answers of a visit, told apart, each with what is known of it.
import type { Facts } from "@landing-page-service/contract/dialect";
import { type Exchange, readPageIn } from "./exchange.ts";
import { type Alike, seeRefusals } from "./learn-errors.ts";
import { type ListSights, seeLists } from "./list-samples.ts";
import { seePages } from "./samples.ts";
import { shortenIds, type Visit } from "./visit.ts";

type Domains = NonNullable<Facts["page"]>["domains"];

/** What templates are learned of and compared with. */
export interface Sights extends ListSights {
  readonly visit: Visit;
  readonly pages: ReturnType<typeof seePages>;
  readonly refusals: readonly Alike[];
  /** The most that any answer tells of the domains of each page, by its identifier. */
  readonly domains: ReadonlyMap<string, Domains>;
}

/** Tells the answers of a visit apart. `exchanges` is everything that was said, cleaning up included. */
export function seeAnswers(...said: [visit: Visit, exchanges: readonly Exchange[]]): Sights {
  const [visit, exchanges] = shortenIds(said);
  const pages = seePages(visit, exchanges);
  return { visit, pages, refusals: seeRefusals(visit, exchanges), domains: listDomains(visit), ...seeLists(visit) };
}

function listDomains({ steps, views }: Visit): ReadonlyMap<string, Domains> {
  const most = new Map<string, Domains>();
  const answers = Object.values(steps).map((exchange) => readPageIn(exchange)?.page);
  const listed = Object.values(views).flatMap(({ pages }) => pages.map(({ page }) => page));
  for (const page of [...answers, ...listed]) {
    if (page?.id === undefined || page.domains.length <= (most.get(page.id)?.length ?? 0)) continue;
    const domains = page.domains.map(({ name, url }) => ({ name, url: url ?? `https://${name}/page` }));
    most.set(page.id, domains);
  }
  return most;
}
