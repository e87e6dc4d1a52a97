// The domains that serve a page: which fields hold them, and how they are written there.
import { isObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import { hostSources, readName } from "./names.ts";
import { decode, findField, type JsonNode, listOwnFields, type NamedField, type Path } from "./nodes.ts";

const sources = [...hostSources, "around"] as const;
type Source = (typeof sources)[number];

/** Distinguishes the domains of a page from other hosts. */
export interface DomainContext {
  readonly apiHost: string | undefined;
  readonly slugs: readonly unknown[];
  readonly ctaUrl: unknown;
}

/** Finds the domains that a page and what is around it name, from the surest fields that name any; `path` is that of the surest field. */
export function findDomains(
  nodes: readonly JsonNode[],
  { apiHost, slugs, ctaUrl }: DomainContext,
): { readonly domains: PageDomain[]; readonly path: Path | undefined } {
  const fields = nodes.flatMap(({ fields: own }) => [...own, ...own.flatMap(listStatusFields)]);
  const bySource = Map.groupBy(fields, findSource);
  const around: NamedField[] = [];
  for (let node = nodes.at(-1)?.parent; node !== undefined; node = node.parent)
    around.push(...node.fields.filter(({ name: { key } }) => key === "domains" || key === "domain"));
  bySource.set("around", around);
  const isOwn = ({ name, url }: PageDomain) => name !== apiHost && (url === undefined || url !== ctaUrl);
  const isPublic = ({ url = "/api/" }: PageDomain, source: Source) => {
    if (source === "named domain" || source === "site" || source === "around") return true;
    if (url.includes("/api/")) return false;
    const end = url.replace(/\/$/, "");
    return source !== "any URL" || slugs.some((slug) => typeof slug === "string" && end.endsWith(`/${slug}`));
  };
  const path = sources.map((source) => bySource.get(source)?.[0]).find(Boolean)?.path;
  for (const source of sources) {
    const found = (bySource.get(source) ?? []).flatMap(({ value }) => readHosts(value));
    const own = found.filter((domain) => isOwn(domain) && isPublic(domain, source));
    if (own.length > 0) return { domains: [...new Map(own.map((domain) => [domain.name, domain])).values()], path };
  }
  return { domains: [], path };
}

/** Some services say in a `status` whether a domain serves a page. */
function listStatusFields({ name: { key }, path, value }: NamedField): NamedField[] {
  return key === "status" && isObject(value) ? listOwnFields(value, path) : [];
}

function findSource({ name: { hosts }, value }: NamedField): Source | undefined {
  return hosts === "any URL" && !isUrl(value) ? undefined : hosts;
}

function isUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//i.test(value);
}

const most = 200;

function readHosts(given: unknown): PageDomain[] {
  const value = decode(given);
  if (typeof value === "string") return value.split(/[\s,;]+/).flatMap(readHost);
  if (Array.isArray(value)) return value.slice(0, most).flatMap(readHosts);
  if (!isObject(value)) return [];
  const fields = listOwnFields(value);
  const isGone = /inactive|pending|removed|failed/i.test(String(value["status"]));
  if (isGone || findField(fields, ["deletedat", "removedat"], (at) => Boolean(at) || undefined)) return [];
  const read = (...wanted: string[]) => findField(fields, wanted, (each) => readHosts(each)[0])?.value;
  const name = read("name", "host", "hostname", "domain", "fqdn");
  const url = read("url", "href", "publicurl", "base", "origin");
  const known = name ?? url;
  if (known !== undefined) return [{ ...known, ...(url?.url !== undefined && { url: url.url }) }];
  return Object.entries(value).flatMap(([key, inner]) => {
    const [host] = readHost(key);
    if (host !== undefined) return [isUrl(inner) ? { name: host.name, url: String(inner) } : host];
    return typeof inner !== "object" || readName(key).hosts === undefined ? [] : readHosts(inner);
  });
}

function readHost(text: string): PageDomain[] {
  const url = URL.parse(isUrl(text) ? text : `https://${text}`);
  const isHost = /^(?:[a-z\d-]+\.)+(?!html?$|php$|json$|xml$|pdf$|png$|jpe?g$)[a-z]{2,}$/i;
  if (url === null || !isHost.test(url.hostname) || /\s|@/.test(text)) return [];
  return [{ name: url.host, ...(text.includes("/") && { url: isUrl(text) ? text : url.href }) }];
}
