import * as z from "zod";
import { phraseStems } from "./domain-index.ts";

/** A domain of the network: what it is about, and which pages it takes. */
export interface Domain {
  /** Host name, lower case, at least two labels, unique in the catalogue; non-ASCII names in their `xn--` form. */
  name: string;
  /** What the domain is about, in a few words each (`trail running`). A topic counts twice a keyword. May be empty. */
  topics: readonly string[];
  /** Words that pages for this domain use, in any form: `shoe` also finds `shoes`. May be empty. */
  keywords: readonly string[];
  /**
   * BCP 47 tag of the language the domain serves, such as `ja` or `de-AT`. Pages known to be in another are refused.
   * @defaultValue any language
   */
  locale?: string;
  /**
   * Share the domain gets of pages that nothing else decides, relative to the others; above 0, at most 1 000 000.
   * @defaultValue 1
   */
  weight?: number;
  /**
   * Most pages the domain serves at once, an integer from 0.
   * @defaultValue no limit
   */
  capacity?: number;
  /**
   * Whether the domain takes new pages.
   * @defaultValue true
   */
  active?: boolean;
  /**
   * Hosts that a page's `cta.url` must not point to, each with all its subdomains.
   * @defaultValue none
   */
  blockedCtaHosts?: readonly string[];
  /**
   * Whether the domain takes the pages that match no domain. One with a `locale` does so only for pages known to be in it.
   * @defaultValue false
   */
  catchAll?: boolean;
}

/**
 * Checks a catalogue as a person writes it in JSON: an array of domains. It may be empty; then no page gets a domain.
 *
 * @throws {TypeError} that names every wrong place with its path and the rule it breaks.
 */
export function parseCatalogue(value: unknown): Domain[] {
  const result = catalogueSchema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, mostProblems).map((issue) => {
    const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
    return `  catalogue${path}: ${issue.message}`;
  });
  const more = result.error.issues.length - problems.length;
  if (more > 0) problems.push(`  and ${more} more`);
  throw new TypeError(`The domain catalogue is not valid:\n${problems.join("\n")}`);
}

/** Problems named in one error; a catalogue with more is likely another kind of file. */
const mostProblems = 20;

const hostRule =
  "must be a lower-case host name with at least two labels, such as shoes.example; no scheme, port or path";

const host = z.string({ error: hostRule }).refine(isHostName, { error: hostRule });

const phrase = z
  .string({ error: "must be a string" })
  .max(100, { error: "must be at most 100 characters" })
  .refine((text) => phraseStems(text).length > 0, {
    error: "must hold a word that can match: not only punctuation, single letters or words as common as `the`",
  });

const phrases = z.array(phrase, { error: "must be an array of strings (it may be empty)" });

const domainSchema = z.strictObject(
  {
    name: host,
    topics: phrases,
    keywords: phrases,
    locale: z
      .string({ error: "must be a string" })
      .refine(isLocale, { error: "must be a BCP 47 language tag, such as `ja` or `de-AT`" })
      .exactOptional(),
    weight: z
      .number({ error: "must be a number" })
      .gt(0, { error: "must be above 0 (to send a domain no pages, set `active` to false)" })
      .max(1_000_000, { error: "must be at most 1000000" })
      .exactOptional(),
    capacity: z.int({ error: "must be an integer" }).min(0, { error: "must be 0 or more" }).exactOptional(),
    active: z.boolean({ error: "must be true or false" }).exactOptional(),
    blockedCtaHosts: z.array(host, { error: "must be an array of host names" }).exactOptional(),
    catchAll: z.boolean({ error: "must be true or false" }).exactOptional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `has no field ${issue.keys.map((key) => `"${key}"`).join(", ")}; fields are ${fieldNames}`
        : "must be an object with name, topics and keywords",
  },
);

const fieldNames = "name, topics, keywords, locale, weight, capacity, active, blockedCtaHosts, catchAll";

const catalogueSchema = z
  .array(domainSchema, { error: "must be an array of domains" })
  .superRefine((domains, context) => {
    const firstAt = new Map<string, number>();
    domains.forEach(({ name }, index) => {
      const first = firstAt.get(name);
      if (first === undefined) firstAt.set(name, index);
      else context.addIssue({ code: "custom", path: [index, "name"], message: `repeats "${name}" of [${first}]` });
    });
  });

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
