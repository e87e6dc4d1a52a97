import { checkValue, formatIssues } from "@landing-page-service/contract/internal";
import * as z from "zod";
import type { AssignmentRule, PageMatch } from "./assignment.ts";
import shipped from "./catalogue.json" with { type: "json" };
import { isTelling, splitWords } from "./words.ts";

/** A domain of the network: its topics, and the pages that it accepts. */
export interface Domain {
  /** Host name, lower case, at least two labels, unique in the catalogue; non-ASCII names in their `xn--` form. */
  name: string;
  /** What the domain is called for, in a word or a phrase each (`trail running`). A topic counts twice a keyword. May be empty. */
  topics: readonly string[];
  /** Words and phrases that pages for this domain also use: `shoe` finds `shoes`, `used car` finds `used cars` and no other use of `used`. May be empty. */
  keywords: readonly string[];
  /**
   * BCP 47 tag of the language the domain serves, such as `ja` or `de-AT`. Pages known to be in another are refused.
   * English endings are taken off its words only without one, or with `en`.
   * @defaultValue any language
   */
  locale?: string;
  /** Most pages the domain serves at once, an integer from 0. @defaultValue no limit */
  capacity?: number;
  /** Whether the domain takes new pages. @defaultValue true */
  active?: boolean;
  /** Hosts that a page's `cta.url` must not point to, each with all its subdomains. @defaultValue none */
  blockedCtaHosts?: readonly string[];
  /** Whether the domain takes the pages for which no domain has enough evidence. One with a `locale` takes only pages known to be in it. @defaultValue false */
  catchAll?: boolean;
  /** Pages that are assigned here whatever else their words say, as long as the domain can take them. One match suffices. @defaultValue none */
  pins?: readonly PageMatch[];
}

/** The catalogue that ships: 46 domains under `.example`. */
export const defaultCatalogue: readonly Domain[] = shipped;

const hostName = z.string().refine(isHostName, {
  error:
    "expected a lower-case host name with at least two labels, such as shoes.example, without scheme, port or path",
});
const phrase = z
  .string()
  .max(100, { error: "expected at most 100 characters" })
  .refine((text) => splitWords(text).some(isTelling), {
    error: "expected a word that can match, not only punctuation, single letters or words such as `the`",
  });

/** Checks which pages a pin or a rule is for. */
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
  locale: z.string().refine(isLocale, { error: "expected a BCP 47 language tag, such as de or de-AT" }).exactOptional(),
  capacity: z.int().min(0).exactOptional(),
  active: z.boolean().exactOptional(),
  blockedCtaHosts: z.array(hostName).exactOptional(),
  catchAll: z.boolean().exactOptional(),
  pins: z.array(pageMatchSchema).exactOptional(),
}) satisfies z.ZodType<Domain>;

/** Checks a catalogue: an array of domains with different names. */
export const catalogueSchema = z.array(domainSchema).superRefine((domains, context) => {
  const firstIndex = new Map<string, number>();
  for (const [index, { name }] of domains.entries()) {
    const first = firstIndex.get(name);
    if (first === undefined) firstIndex.set(name, index);
    else
      context.addIssue({
        code: "custom",
        path: [index, "name"],
        message: `repeats ${JSON.stringify(name)} of [${first}]`,
      });
  }
});

/**
 * Checks a catalogue as a person writes it in JSON: an array of domains. It may be empty; then no page gets a domain.
 *
 * @throws {TypeError} that names each wrong field with its path and the rule it breaks, at most 20 of them.
 */
export function parseCatalogue(value: unknown): Domain[] {
  return parse("Not a domain catalogue", z.object({ catalogue: catalogueSchema }), { catalogue: value }).catalogue;
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
  return parse("Not an assignment rule", rule, { match, domains: names });
}

function parse<Value>(where: string, schema: z.ZodType<Value>, value: unknown): Value {
  const result = checkValue(schema, value);
  if (result.success) return result.data;
  throw new TypeError(formatIssues(where, result.issues));
}

/** DNS host name as RFC 1123 has it, in lower case, with a top-level label that is not a number (so no IPv4 address). */
function isHostName(text: string): boolean {
  const labels = text.split(".");
  const areLabels = labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  return areLabels && labels.length > 1 && text.length <= 253 && !/^\d+$/.test(labels.at(-1) ?? "");
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
