// Makes a page, or a problem, from what was read by a template.
import { isObject } from "../json.ts";
import type { Cta, PageDomain, PageFields } from "../page.ts";
import type { FieldProblem } from "../problem.ts";
import type { ReadFacts } from "./read.ts";

/** A page as far as a response shows it. */
export interface PageFacts extends Partial<Omit<PageFields, "domains">> {
  /** Domains in the order of the response, empty when it shows none. */
  domains: PageDomain[];
}

/** The page that a response, or one element of a list, shows. Fields that an update was sent count as fields of the page. */
export function readPageFacts(facts: ReadFacts): PageFacts {
  const { values } = facts;
  const changes = isObject(values["changes"]) ? values["changes"] : {};
  const changed = (facts.repeated.change ?? []).map(
    ({ values }) => [values["change.field"], values["change.value"]] as const,
  );
  const all: Readonly<Record<string, unknown>> = { ...Object.fromEntries(changed), ...changes, ...values };
  const readText = (name: string) => [all[name], all[`changes.${name}`]].find((value) => typeof value === "string");
  const page: PageFacts = { domains: readDomains(facts) };
  for (const name of ["id", "title", "content", "slug", "created_at", "updated_at"] as const) {
    const text = readText(name);
    if (text !== undefined) page[name] = text;
  }
  const description = readText("meta_description") ?? values["meta_description"];
  if (description === null || typeof description === "string") page.meta_description = description;
  const cta =
    readCta(all["cta"]) ??
    readCta(all["changes.cta"]) ??
    readCta({ type: all["cta.type"], label: all["cta.label"], url: all["cta.url"] });
  if (cta !== undefined) page.cta = cta;
  return page;
}

function readCta(value: unknown): Cta | undefined {
  if (!isObject(value)) return undefined;
  const { type, label, url } = value;
  if (typeof type !== "string" || typeof label !== "string" || typeof url !== "string") return undefined;
  return { ...value, type, label, url };
}

function readDomains({ values, repeated }: ReadFacts): PageDomain[] {
  const whole = Array.isArray(values["domains"])
    ? values["domains"].flatMap((one: unknown) => (isObject(one) ? readDomain(one["name"], one["url"]) : []))
    : [];
  if (whole.length > 0) return whole;
  const listed = (repeated.domain ?? []).flatMap(({ values }) =>
    readDomain(values["domain.name"], values["domain.url"], values["domain.path"]),
  );
  const first =
    listed.length > 0 ? listed : readDomain(values["domain.name"], values["domain.url"], values["domain.path"]);
  const others = (repeated.alias ?? []).flatMap(({ values }) => readDomain(values["alias.name"], values["alias.url"]));
  const second = others.length > 0 ? others : readDomain(values["alias.name"], values["alias.url"]);
  const byName = new Map<string, PageDomain>();
  for (const domain of [...first, ...second]) byName.set(domain.name, { ...domain, ...byName.get(domain.name) });
  return [...byName.values()];
}

/** A domain by its name, its URL, or its name and a path. */
function readDomain(name: unknown, url: unknown, path?: unknown): PageDomain[] {
  if (typeof url === "string") return [{ name: typeof name === "string" ? name : (URL.parse(url)?.host ?? url), url }];
  if (typeof name !== "string") return [];
  return [typeof path === "string" ? { name, url: `https://${name}${path}` } : { name }];
}

/** What an error response says: its sentence, empty when it has none, and the fields that it blames. */
export function readProblemFacts({ values: outer, repeated }: ReadFacts): { detail: string; errors: FieldProblem[] } {
  const blamed = repeated.field ?? [{ values: outer }];
  const errors = blamed.flatMap(({ values }): FieldProblem[] => {
    const { "error.field": field, "error.pointer": pointer, "error.detail": detail, detail: whole } = values;
    const place =
      typeof pointer === "string" ? pointer : typeof field === "string" ? `#/${field.replaceAll(".", "/")}` : undefined;
    return place === undefined ? [] : [{ pointer: place, detail: firstText(detail, whole, outer.detail, "is wrong") }];
  });
  const details = blamed.map(({ values }) => values["error.detail"]);
  return { detail: firstText(outer.detail, ...details, outer.reason, outer.code), errors };
}

/** The first value that is a text and not empty. */
function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}
