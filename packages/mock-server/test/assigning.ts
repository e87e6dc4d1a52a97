// Domains and pages for tests of the assignment.
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
