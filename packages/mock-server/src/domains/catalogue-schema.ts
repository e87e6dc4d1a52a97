import { nearest } from "@landing-page-service/contract";
import * as z from "zod";
import type { PlacedPages, PlaceRule } from "./assignment.ts";
import { canMatch } from "./words.ts";

/** A domain of the network: what it is about, and which pages it takes. */
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
  /** Whether the domain takes the pages that match no domain. One with a `locale` does so only for pages known to be in it. @defaultValue false */
  catchAll?: boolean;
  /** Pages that come here whatever their words say otherwise, as long as the domain can take them. One rule suffices. @defaultValue none */
  pins?: readonly PlacedPages[];
}

/**
 * Checks a catalogue as a person writes it in JSON: an array of domains. It may be empty; then no page gets a domain.
 *
 * @throws {TypeError} that names every wrong place with its path and the rule it breaks.
 */
export function parseCatalogue(value: unknown): Domain[] {
  return parse(catalogueSchemas().catalogue, value, "The domain catalogue is not valid:", "catalogue");
}

/**
 * Checks what a test says about placing pages, against the names a catalogue has.
 *
 * @throws {TypeError} that names every wrong place with its path and the rule it breaks.
 */
export function parsePlaceRule(match: unknown, names: unknown, domains: readonly Domain[]): PlaceRule {
  const known = z
    .string({ error: "must be the name of a domain" })
    .refine((name) => domains.some((some) => some.name === name), {
      error: ({ input }) => `is no domain of the catalogue: "${String(input)}"`,
    });
  const rule = z.object({
    match: catalogueSchemas().placedPages,
    domains: z.array(known, { error: "must be an array of domain names" }).min(1, tooMany).max(3, tooMany),
  });
  return parse(rule, { match, domains: names }, "Pages cannot be placed like this:", "");
}

const tooMany = { error: "must name 1 to 3 domains" };

function parse<Value>(schema: z.ZodType<Value>, value: unknown, headline: string, start: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // A catalogue with more problems is likely another kind of file.
  const problems = result.error.issues.slice(0, 20).map((issue) => {
    const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
    return `  ${`${start}${path}`.replace(/^\./, "")}: ${issue.message}`;
  });
  const more = result.error.issues.length - problems.length;
  if (more > 0) problems.push(`  and ${more} more`);
  throw new TypeError([headline, ...problems].join("\n"));
}

const hostRule =
  "must be a lower-case host name with at least two labels, such as shoes.example; no scheme, port or path";

/** Made when something is first checked: the catalogue that ships is not. */
const catalogueSchemas = (): ReturnType<typeof makeSchemas> => (schemas ??= makeSchemas());
let schemas: ReturnType<typeof makeSchemas> | undefined;

function makeSchemas() {
  const text = z.string({ error: "must be a string" });
  const host = z.string({ error: hostRule }).refine(isHostName, { error: hostRule });
  const phrase = text.max(100, { error: "must be at most 100 characters" }).refine(canMatch, {
    error: "must hold a word that can match: not only punctuation, single letters or words as common as `the`",
  });
  const phrases = z.array(phrase, { error: "must be an array of strings (it may be empty)" });
  const someWords = z.array(phrase, { error: "must be an array of words or phrases" });
  const rule = { slug: text.exactOptional(), words: someWords.min(1, { error: "must not be empty" }).exactOptional() };
  const placedPages = z
    .strictObject(rule, {
      error: (issue) => unknownField(issue, Object.keys(rule)) ?? "must be an object with slug, words or both",
    })
    .refine((some) => Object.keys(some).length > 0, { error: "must name a slug, words or both" });
  const fields = {
    name: host,
    topics: phrases,
    keywords: phrases,
    locale: text.refine(isLocale, { error: "must be a BCP 47 language tag, such as `ja` or `de-AT`" }).exactOptional(),
    capacity: z.int({ error: "must be an integer" }).min(0, { error: "must be 0 or more" }).exactOptional(),
    active: z.boolean({ error: "must be true or false" }).exactOptional(),
    blockedCtaHosts: z.array(host, { error: "must be an array of host names" }).exactOptional(),
    catchAll: z.boolean({ error: "must be true or false" }).exactOptional(),
    pins: z.array(placedPages, { error: "must be an array of rules, such as { slug } or { words }" }).exactOptional(),
  };
  const domainSchema = z.strictObject(fields, {
    error: (issue) => unknownField(issue, Object.keys(fields)) ?? "must be an object with name, topics and keywords",
  });
  const catalogue = z.array(domainSchema, { error: "must be an array of domains" }).superRefine((domains, context) => {
    const firstAt = new Map<string, number>();
    for (const [index, { name }] of domains.entries()) {
      const first = firstAt.get(name);
      if (first === undefined) firstAt.set(name, index);
      else context.addIssue({ code: "custom", path: [index, "name"], message: `repeats "${name}" of [${first}]` });
    }
  });
  return { catalogue, placedPages };
}

/** What is said of fields that there are not; `undefined` when something else is wrong. */
function unknownField(issue: z.core.$ZodRawIssue, known: readonly string[]): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const meant = issue.keys.map((key) => nearest(key, known)).find((name) => name !== undefined);
  const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
  return `has no field ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}; fields are ${known.join(", ")}${hint}`;
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
