// Application code that keeps one page for each offer. The tests for vitest, msw, jest and mocha test it.
import { BadRequestError, type LandingPages, type PartialPage } from "@landing-page-service/sdk";

/** Something for sale. */
export interface Offer {
  /** Name of the offer, unique in the shop. */
  name: string;
  /** What a visitor reads. */
  text: string;
  /** Where a visitor can buy it. */
  url: string;
}

/** Publishes an offer, or updates its page. Returns the page. */
export async function publishOffer(client: LandingPages, { name, text, url }: Offer): Promise<PartialPage> {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const fields = { title: name, content: text, cta: { type: "button", label: "See the offer", url } };
  const [page] = await client.pages.iterate({ filters: { slug } }).toArray({ limit: 1 });
  return page === undefined ? client.pages.create({ ...fields, slug }) : client.pages.update(page.id, fields);
}

/** Publishes many offers. Returns a sentence for each that the service refused. */
export async function publishOffers(client: LandingPages, offers: readonly Offer[]): Promise<string[]> {
  const refusals: string[] = [];
  for (const offer of offers) {
    try {
      await publishOffer(client, offer);
    } catch (error) {
      if (!BadRequestError.is(error)) throw error;
      refusals.push(`${offer.name}: ${error.problem.detail}`);
    }
  }
  return refusals;
}
