// Domains and pages for tests of the assignment.
import * as fc from "fast-check";
import { type AssignablePage, type Assignment, createDomainNetwork, type Domain } from "../src/domains/network.ts";

/** Makes a domain under `.example`. */
export function domain(
  label: string,
  topics: readonly string[],
  keywords: readonly string[] = [],
  more?: Partial<Domain>,
): Domain {
  return { name: `${label}.example`, topics, keywords, ...more };
}

/** A page with these fields and without any other words. */
export function page(fields: Partial<AssignablePage>): AssignablePage {
  return { title: "", content: "", slug: "", cta: { type: "button", label: "", url: "https://a.example/" }, ...fields };
}

/** Assigns a page with these fields. `load` returns how many pages a domain serves. */
export function assign(domains: Domain[], fields: Partial<AssignablePage>, load = noLoad): Assignment {
  return createDomainNetwork(domains).assign(page(fields), load);
}

export const noLoad = (): number => 0;

/** Names of the domains of an assignment or a page, best first. */
export function names({ domains }: { domains: readonly { name: string }[] }): string[] {
  return domains.map(({ name }) => name);
}

/** Catalogues of domains with distinct names, whose terms consist of some words. They may have filters, pins and `more` fields. */
export function catalogues(
  words: readonly string[],
  name: fc.Arbitrary<string>,
  more: { locale?: fc.Arbitrary<string> } = {},
): fc.Arbitrary<Domain[]> {
  const word = fc.constantFrom(...words);
  const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));
  const record = fc.record(
    {
      name,
      topics: fc.array(phrase, { maxLength: 3 }),
      keywords: fc.array(phrase, { maxLength: 6 }),
      capacity: fc.integer({ min: 0, max: 3 }),
      active: fc.boolean(),
      blockedCtaHosts: fc.constantFrom([], ["bets.example"]),
      catchAll: fc.boolean(),
      pins: fc.array(fc.record({ words: fc.tuple(word) }), { maxLength: 1 }),
      ...more,
    },
    { requiredKeys: ["name", "topics", "keywords"] },
  );
  return fc.uniqueArray(record, { selector: ({ name }) => name, maxLength: 15, size: "max" });
}
