// The domains of a page, in whatever form a service writes its public address. An invented one is worse than none.
import { type Holder, holderOf, member } from "./holder.ts";
import { isNamedThing } from "./identifier.ts";
import { isObject, type JsonObject } from "../json.ts";
import { domainParts, domainWords, neutralWords, notPublicWords, pageWords, publicWords, urlWords } from "./names.ts";
import { isIn, judge, wordsOf } from "./words.ts";
import type { PageDomain } from "../page.ts";

/** A host or a URL that a record names, and how sure it is that visitors find the page there; smaller is surer. */
interface NamedDomain extends PageDomain {
  readonly rank: number;
}

/** Where the page is not, whatever a name says. */
export interface Elsewhere {
  /** Host of the service itself. */
  readonly apiHost: string | undefined;
  /** Where the page leads. */
  readonly ctaUrl: string | undefined;
}

/**
 * Reads the domains of a page from all that its record says of its public address, in whatever form; empty when it says
 * nothing.
 */
export function readDomains(
  holders: readonly Holder[],
  { apiHost, ctaUrl }: Elsewhere,
  isPublic = true,
): { domains: PageDomain[]; path: readonly string[] | undefined } {
  const found: (NamedDomain & { path: readonly string[] })[] = [];
  for (const holder of holders) {
    for (const name of holder.members.values()) {
      const rank = rankOf(name);
      const value = holder.value[name];
      if (rank === undefined || value === null || (!isPublic && rank > 0)) continue;
      const path = [...holder.path, name];
      const inLinks = /^_?links$/i.test(name);
      const isCalledDomain = /domain|host|url|link/i.test(name);
      for (const domain of readDomain(value, holder, { kind: rank === 0 ? "host" : "url", inLinks, isCalledDomain }))
        found.push({ ...domain, rank, path });
    }
  }
  const usable = found.filter(
    ({ name, url }) => name !== apiHost && (url === undefined || url !== ctaUrl) && !isApiUrl(url, apiHost),
  );
  const best = usable.reduce((least, { rank }) => Math.min(least, rank), 3);
  const byHost = new Map<string, PageDomain>();
  for (const { name, url, rank } of usable.toSorted((one, other) => one.rank - other.rank)) {
    const known = byHost.get(name);
    if (known === undefined ? rank === best : known.url === undefined && url !== undefined)
      byHost.set(name, url === undefined ? { name } : { name, url });
  }
  return { domains: [...byHost.values()], path: usable.find(({ rank }) => rank === best)?.path };
}

/** How surely a name speaks of the page's public address; `undefined` when it does not. */
const rankOf: (name: string) => number | undefined = judge((name) => {
  const words = wordsOf(name);
  if (words.some((word) => isIn(notPublicWords, word))) return undefined;
  const isUrl = words.some((word) => isIn(urlWords, word));
  const isKnown = words.every((word) => placeWords.some((table) => isIn(table, word)));
  // Any domain of a page is its own; a host of another kind, for files or for mail, is another one.
  if (words.some((word) => /^(?:host|hostname)s?$/.test(word)) && !isKnown) return undefined;
  if (words.some((word) => isIn(domainWords, word))) return isUrl ? 2 : 0;
  // A URL that says of itself what it is, in a word we do not know, is not the page's: of a licence, an editor, a short link.
  if (!isUrl || !isKnown) return undefined;
  if (words.includes("public")) return 1;
  return words.some((word) => isIn(publicWords, word)) ? 2 : 3;
});

const placeWords = [urlWords, domainWords, publicWords, pageWords, neutralWords];

/** How a value is looked at: what its name promises. */
interface Manner {
  readonly kind: "host" | "url";
  readonly inLinks: boolean;
  readonly isCalledDomain: boolean;
}

/** All domains in a value of any form: a host, a URL, either in parts, many of them, or a map. */
function readDomain(
  value: unknown,
  holder: Holder,
  { kind, inLinks, isCalledDomain }: Manner,
  level = 0,
): PageDomain[] {
  if (typeof value === "string") return readDomainText(value, holder, kind);
  if (typeof value !== "object" || value === null || level > 4) return [];
  if (Array.isArray(value))
    return value.slice(0, 200).flatMap((each) => {
      if (inLinks && !(isObject(each) && isPublicRelation(each["rel"]))) return [];
      return readDomain(each, noHolder, { kind, inLinks: false, isCalledDomain }, level + 1);
    });
  const own = holderOf(value as JsonObject); // why: neither an array nor null
  if (!isCalledDomain && isNamedThing(own)) return [];
  const parts = readDomainParts(own, kind);
  if (parts !== undefined) return [parts];
  return [...own.members.values()].slice(0, 200).flatMap((name): PageDomain[] => {
    const inner = own.value[name];
    const host = readHost(name);
    if (host !== undefined && name.includes(".")) return [mapped(host, inner)];
    if (inLinks ? !isPublicRelation(name) : wordsOf(name).some((word) => isIn(notPublicWords, word))) return [];
    return readDomain(inner, noHolder, { kind, inLinks: false, isCalledDomain }, level + 1);
  });
}

const noHolder = holderOf({});

function isPublicRelation(name: unknown): boolean {
  if (typeof name !== "string") return false;
  const words = wordsOf(name);
  return (
    words.some((word) => isIn(publicWords, word) || isIn(domainWords, word) || word === "permalink") &&
    !words.some((word) => isIn(notPublicWords, word))
  );
}

/** An entry of a map whose keys are hosts. */
function mapped(name: string, value: unknown): PageDomain {
  const inner = isObject(value)
    ? (member(holderOf(value), domainParts.url) ?? member(holderOf(value), domainParts.path))?.value
    : value;
  if (typeof inner !== "string") return { name };
  if (/^https?:\/\//i.test(inner)) return URL.canParse(inner) ? { name, url: inner } : { name };
  return inner.startsWith("/") ? { name, url: `https://${name}${inner}` } : { name };
}

function readDomainParts(own: Holder, kind: "host" | "url"): PageDomain | undefined {
  const text = (keys: readonly string[]) => {
    const value = member(own, keys)?.value;
    return typeof value === "string" ? value : undefined;
  };
  const url = domainParts.url.map((key) => readUrl(text([key]))).find((found) => found !== undefined);
  const subdomain = text(domainParts.subdomain);
  const name = domainParts.name
    .map((key) => text([key]))
    .map(
      (part) =>
        readDomainText(
          part === undefined || subdomain === undefined ? (part ?? "") : `${subdomain}.${part}`,
          noHolder,
          kind,
        )[0],
    )
    .find((found) => found !== undefined);
  if (name === undefined) return url;
  if (name.url !== undefined) return name;
  if (url?.url !== undefined) return { name: name.name, url: url.url };
  return compose(name.name, own) ?? name;
}

/** Puts a URL together from a host and the parts beside it. */
function compose(host: string, beside: Holder): PageDomain | undefined {
  const path = member(beside, domainParts.path)?.value;
  if (typeof path !== "string" || /^[a-z]+:/i.test(path)) return undefined;
  const scheme = member(beside, domainParts.scheme)?.value;
  const port = member(beside, domainParts.port)?.value;
  const start = typeof scheme === "string" ? scheme.replace(/:?\/*$/, "") : "https";
  const colon = typeof port === "number" && ![80, 443].includes(port) ? `:${port}` : "";
  const url = `${start}://${host}${colon}/${path.replace(/^\/+/, "")}`;
  return URL.canParse(url) ? { name: host, url } : undefined;
}

function readDomainText(text: string, beside: Holder, kind: "host" | "url"): PageDomain[] {
  const parts = text.length > 20_000 ? [] : text.split(/[\s,;|]+/).filter((part) => part !== "");
  const domains = parts.map((part) => readUrl(part));
  if (!domains.every((domain) => domain !== undefined)) return [];
  const [only] = domains;
  if (domains.length === 1 && only !== undefined && only.url === undefined && kind === "host")
    return [compose(only.name, beside) ?? only];
  return domains;
}

/** A host, or a URL with or without its scheme. */
function readUrl(text: string | undefined): PageDomain | undefined {
  const trimmed = text?.trim() ?? "";
  const match = /^(?:(https?):)?\/\/([^/?#@\s]+)/i.exec(trimmed);
  if (match !== null) {
    const url = match[1] === undefined ? `https:${trimmed}` : trimmed;
    return URL.canParse(url) ? { name: new URL(url).host, url } : undefined;
  }
  const [, start = "", rest = ""] = /^([^/?#\s]+)([/?#]\S*)?$/.exec(trimmed) ?? [];
  const host = readHost(start);
  if (host === undefined) return undefined;
  return rest === "" || rest === "/" ? { name: host } : { name: host, url: `https://${host}${rest}` };
}

const hostName =
  /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!(?:x?html?|php\d?|json|xml|aspx?|jsp|png|jpe?g|gif|svg|webp|avif|ico|pdf|txt|md|css|js|ts|csv|zip|mp4)(?::|$))(?:[a-z]{2,63}|xn--[a-z\d-]+)\.?(?::\d{1,5})?$/i;

function readHost(text: string): string | undefined {
  if (text.length > 260) return undefined;
  if (hostName.test(text)) return text.toLowerCase().replace(/\.(?=:|$)/, "");
  // A name in letters of another script is written as the platform writes it in a URL.
  if (!/^[^\s/@:]+\.[^\s/@:.\d]+$/u.test(text) || !/[^ -~]/.test(text)) return undefined;
  return URL.canParse(`https://${text}`) && hostName.test(new URL(`https://${text}`).host) ? text : undefined;
}

/** Whether a URL is one of the service's own, by host or by path. */
function isApiUrl(url: string | undefined, apiHost: string | undefined): boolean {
  if (url === undefined) return false;
  const { host, pathname } = new URL(url);
  return host === apiHost || /\/api\/content(?:[/(]|$)/.test(pathname);
}
