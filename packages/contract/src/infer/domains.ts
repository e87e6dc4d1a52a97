// Finds the domains that serve a page, in any field and any form.
import { isObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import { decode, findField, type Found, listOwnFields, type Path } from "./fields.ts";
import { hostSources, readName } from "./names.ts";
import type { JsonNode } from "./nodes.ts";

/** Distinguishes the domains of a page from other hosts. */
export interface DomainContext {
  readonly apiHost: string | undefined;
  readonly slugs: readonly unknown[];
  readonly ctaUrl: unknown;
}

/**
 * Finds the domains of a page in its fields and in those of the objects around it. Some kinds of fields are more certain than others.
 * Only fields of the most certain kind that has domains are used. `path` is the path of the most certain field.
 */
export function findDomains(
  nodes: readonly JsonNode[],
  { apiHost, slugs, ctaUrl }: DomainContext,
): { readonly domains: PageDomain[]; readonly path: Path | undefined } {
  const fields = listHostFields(nodes);
  let path: Path | undefined;
  for (const source of [...hostSources, "around"] as const) {
    const domains = new Map<string, PageDomain>();
    for (const field of fields.filter((each) => each.source === source)) {
      path ??= field.path;
      for (const domain of readHosts(field.value)) {
        const { name, url } = domain;
        const isEnd = (slug: unknown) =>
          typeof slug === "string" && url?.replace(/\/$/, "").endsWith(`/${slug}`) === true;
        const isPublic = url?.includes("/api/") === false && (source !== "any URL" || slugs.some(isEnd));
        const isSure = source === "named domain" || source === "site" || source === "around";
        if ((isSure || isPublic) && name !== apiHost && (url === undefined || url !== ctaUrl))
          domains.set(name, domain);
      }
    }
    if (domains.size > 0) return { domains: [...domains.values()], path };
  }
  return { domains: [], path };
}

/** Lists the fields that may contain the domains, with how surely they do. */
function listHostFields(nodes: readonly JsonNode[]) {
  const fields: (Found & { readonly source: (typeof hostSources)[number] | "around" })[] = [];
  for (const field of nodes.flatMap((node) => node.fields)) {
    // Some services say in a `status` whether a domain serves a page.
    const inner = field.key === "status" ? listOwnFields(field.value, field.path) : [];
    for (const { name, path, value } of [field, ...inner]) {
      const source = readName(name).hosts;
      if (source !== undefined && (source !== "any URL" || isUrl(value))) fields.push({ source, path, value });
    }
  }
  for (let node = nodes.at(-1)?.parent; node !== undefined; node = node.parent)
    for (const { key, path, value } of node.fields)
      if (key === "domains" || key === "domain") fields.push({ source: "around", path, value });
  return fields;
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
  const readOne = (each: unknown) => readHosts(each)[0];
  const name = findField(fields, ["name", "host", "hostname", "domain", "fqdn"], readOne)?.value;
  const url = findField(fields, ["url", "href", "publicurl", "base", "origin"], readOne)?.value;
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
