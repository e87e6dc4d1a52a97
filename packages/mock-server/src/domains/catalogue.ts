import * as z from "zod";
import { parseArgument } from "../argument.ts";
import type { AssignmentRule, PageMatch } from "./assignment.ts";
import shipped from "./catalogue.json" with { type: "json" };
import { isMeaningful, localeSchema, splitWords } from "./words.ts";

/** A domain of the network: its topics, and the pages that it accepts. */
export interface Domain {
  /** Host name, lower case, at least two labels, unique in the catalogue; non-ASCII names in their `xn--` form. */
  name: string;
  /** Topics of the domain: words and phrases such as `trail running`. A topic counts twice as much as a keyword. May be empty. */
  topics: readonly string[];
  /** Words and phrases that pages for this domain also use. `shoe` matches `shoes`. `used car` matches `used cars`, but not `used` alone. May be empty. */
  keywords: readonly string[];
  /**
   * BCP 47 tag of the language the domain serves, such as `ja` or `de-AT`. The domain cannot take pages known to be in another language.
   * @defaultValue any language
   */
  locale?: string;
  /** Most pages the domain serves at once, an integer from 0. @defaultValue no limit */
  capacity?: number;
  /** Whether the domain accepts new pages. @defaultValue true */
  active?: boolean;
  /** Hosts that a page's `cta.url` must not point to, each with all its subdomains. @defaultValue none */
  blockedCtaHosts?: readonly string[];
  /** Whether the domain accepts pages for which no domain has enough evidence. With a `locale` it accepts only pages known to be in that language. @defaultValue false */
  catchAll?: boolean;
  /** Pages that are assigned here regardless of their words, if the domain can take them. One match is enough. @defaultValue none */
  pins?: readonly PageMatch[];
}

/** The catalogue that ships: 46 domains under `.example`. */
export const defaultCatalogue: readonly Domain[] = shipped;

/** A DNS host name of RFC 1123 in lower case. Its top-level label starts with a letter, so an IPv4 address does not match. */
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostName = z
  .string()
  .max(253)
  .regex(new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`), {
    error:
      "expected a lower-case host name with at least two labels, such as shoes.example, without scheme, port or path",
  });
const phrase = z
  .string()
  .max(100, { error: "expected at most 100 characters" })
  .refine((text) => splitWords(text).some(isMeaningful), {
    error: "expected a word that can match, not only punctuation, single letters or words such as `the`",
  });

/** Checks the match of a pin or a rule. */
const pageMatchSchema = z
  .strictObject({
    slug: z.string().exactOptional(),
    words: z.array(phrase).min(1, { error: "must not be empty" }).exactOptional(),
  })
  .refine((match) => Object.keys(match).length > 0, { error: "must name a slug, words or both" });

/** Checks one domain of a catalogue. */
const domainSchema = z.strictObject({
  name: hostName,
  topics: z.array(phrase),
  keywords: z.array(phrase),
  locale: localeSchema.exactOptional(),
  capacity: z.int().min(0).exactOptional(),
  active: z.boolean().exactOptional(),
  blockedCtaHosts: z.array(hostName).exactOptional(),
  catchAll: z.boolean().exactOptional(),
  pins: z.array(pageMatchSchema).exactOptional(),
}) satisfies z.ZodType<Domain>;

/** Checks a catalogue: an array of domains with different names. */
export const catalogueSchema = z.array(domainSchema).superRefine((domains, context) => {
  const names = domains.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    const message = `repeats ${JSON.stringify(name)} of [${names.indexOf(name)}]`;
    if (names.indexOf(name) < index) context.addIssue({ code: "custom", path: [index, "name"], message });
  }
});

/**
 * Checks a catalogue, which is an array of domains. With an empty array no page gets a domain.
 *
 * @throws {TypeError} that names each wrong field with its path and the rule it breaks, at most 20 of them.
 */
export function parseCatalogue(value: unknown): Domain[] {
  const schema = z.object({ catalogue: catalogueSchema });
  return parseArgument("Not a domain catalogue", schema, { catalogue: value }, "field").catalogue;
}

/**
 * Checks a test's assignment rule against the names in a catalogue.
 *
 * @throws {TypeError} that names each wrong field with its path and the rule it breaks.
 */
export function parseAssignmentRule(match: unknown, names: unknown, domains: readonly Domain[]): AssignmentRule {
  const known = z.enum(
    domains.map(({ name }) => name),
    { error: "expected the name of a domain in the catalogue" },
  );
  const between = { error: "must name 1 to 3 domains" };
  const rule = z.strictObject({ match: pageMatchSchema, domains: z.array(known).min(1, between).max(3, between) });
  return parseArgument("Not an assignment rule", rule, { match, domains: names }, "field");
}
