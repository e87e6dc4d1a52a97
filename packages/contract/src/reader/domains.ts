// The domains of a page, in whatever form a service writes its public address. An invented one is worse than none.
import { isObject, parseJson } from "../json.ts";
import type { PageDomain } from "../page.ts";
import { type Holder, holderOf, meantNames, member } from "./holder.ts";
import { isNamedThing } from "./identifier.ts";
import {
  domainParts,
  domainWords,
  innerKeys,
  neutralWords,
  notPublicWords,
  pageWords,
  publicWords,
  splitWords,
  urlWords,
} from "./names.ts";
import { isEntered, isIn, isNeutral, judge, wordsOf } from "./words.ts";

/** Where the page is not, whatever a name says. */
export interface Elsewhere {
  /** Host of the service itself. */
  readonly apiHost: string | undefined;
  /** Where the page leads. */
  readonly ctaUrl: string | undefined;
}

/**
 * Reads the domains of a page from all that its record says of its public address, in whatever form; empty when it says
 * nothing. Of what is around a record, only what is called a domain counts.
 */
export function readDomains(
  holders: readonly Holder[],
  { apiHost, ctaUrl }: Elsewhere,
  isAround = false,
): { domains: PageDomain[]; path: readonly string[] | undefined } {
  const way = holders[0]?.path ?? [];
  const lends = ({ path, naming }: Holder) =>
    path.every(
      (name, index) => name === way[index] || mayLend(name) || (naming !== undefined && mayLend(naming(name))),
    );
  const found = holders.filter(lends).flatMap((holder) =>
    meantNames(holder).flatMap(([meant, name]) => {
      const rank = rankOf(meant);
      if (rank === undefined || (isAround && rank > 0)) return [];
      const value = holder.value[name];
      const isOther = isObject(value) && !/domain|host|url|link/i.test(meant) && isNamedThing(holderOf(value));
      const domains = isOther
        ? []
        : readDomain(value, { isHost: rank === 0, isLinks: /^_?links$/i.test(meant), around: holder }, holder);
      return domains.map((domain) => ({ domain, rank, path: [...holder.path, name] }));
    }),
  );
  const isElsewhere = ({ name, url }: PageDomain) =>
    name === apiHost || (url !== undefined && (url === ctaUrl || /^[^?#]*\/api\/content(?:[/(?#]|$)/.test(url)));
  const usable = found.filter(({ domain }) => !isElsewhere(domain)).toSorted((one, other) => one.rank - other.rank);
  const [best] = usable;
  const byHost = new Map<string, PageDomain>();
  for (const { domain, rank } of usable) {
    const known = byHost.get(domain.name);
    // What is less sure may still tell the URL on a host that is known.
    if (known === undefined ? rank === best?.rank : known.url === undefined) byHost.set(domain.name, domain);
  }
  return { domains: [...byHost.values()], path: best?.path };
}

/** Whether an object in a page may tell of its address: it is a part of the page, or speaks of the address itself. */
function mayLend(name: string): boolean {
  const isPart = wordsOf(name).every((word) => [innerKeys, splitWords, publicWords].some((table) => isIn(table, word)));
  return isPart || isNeutral(name) || (isEntered(name) && rankOf(name) !== undefined);
}

/** How surely a name speaks of the page's public address, 0 the surest; `undefined` when it does not. */
const rankOf: (name: string) => number | undefined = judge((name) => {
  const words = wordsOf(name);
  const has = (table: ReadonlySet<string>) => words.some((word) => isIn(table, word));
  const isKnown = words.every((word) => placeWords.some((table) => isIn(table, word)));
  // Any domain of a page is its own; a host of another kind, for files or for mail, is another one.
  if (has(notPublicWords) || (!isKnown && !words.some((word) => /^domains?$/.test(word)))) return undefined;
  if (has(domainWords)) return has(urlWords) ? 2 : 0;
  // A URL that says of itself what it is, in a word we do not know, is not the page's: of a licence, an editor, a short link.
  if (!has(urlWords)) return undefined;
  return words.includes("public") ? 1 : has(publicWords) ? 2 : 3;
});

const placeWords = [urlWords, domainWords, publicWords, pageWords, neutralWords];

/** How a value is looked at: what its name promises. */
interface Manner {
  readonly isHost: boolean;
  readonly isLinks: boolean;
  /** The record that it is in. */
  readonly around: Holder;
}

/** All domains in a value of any form: a host, a URL, either in parts, many of them, or a map. */
function readDomain(value: unknown, manner: Manner, beside: Holder | undefined, level = 0): PageDomain[] {
  if (level > 4) return [];
  if (typeof value === "string") {
    const parsed = /^\s*[[{]/.test(value.slice(0, 100)) ? parseJson(value) : undefined;
    return parsed === undefined
      ? readText(value, manner.isHost ? beside : undefined)
      : readDomain(parsed, manner, undefined, level + 1);
  }
  const inner = { ...manner, isLinks: false };
  if (Array.isArray(value))
    return value.slice(0, 200).flatMap((each) => {
      const relation = isObject(each) ? each["rel"] : undefined;
      if ((manner.isLinks || relation !== undefined) && !isPublicRelation(relation)) return [];
      return readDomain(each, inner, undefined, level + 1);
    });
  if (!isObject(value)) return [];
  const own = holderOf(value, [], manner.around);
  const whole = readParts(own);
  if (whole !== undefined) return [whole];
  return [...own.members.values()].flatMap((name): PageDomain[] => {
    const host = name.includes(".") ? readHost(name) : undefined;
    if (host !== undefined) return [mapped(host, value[name])];
    if (manner.isLinks ? !isPublicRelation(name) : wordsOf(name).some((word) => isIn(notPublicWords, word))) return [];
    return readDomain(value[name], inner, undefined, level + 1);
  });
}

function isPublicRelation(name: unknown): boolean {
  const words = typeof name === "string" ? wordsOf(name) : [];
  const isPublic = words.some((word) => isIn(publicWords, word) || isIn(domainWords, word) || word === "permalink");
  return isPublic && !words.some((word) => isIn(notPublicWords, word));
}

/** An entry of a map whose keys are hosts. */
function mapped(name: string, value: unknown): PageDomain {
  const inner = isObject(value) ? member(holderOf(value), [...domainParts.url, ...domainParts.path])?.value : value;
  const url = typeof inner === "string" && inner.startsWith("/") ? `https://${name}${inner}` : inner;
  return typeof url === "string" && /^https?:\/\//i.test(url) && URL.canParse(url) ? { name, url } : { name };
}

/** A domain in parts: a host and a URL, or a host and what a URL is put together from. */
function readParts(own: Holder): PageDomain | undefined {
  const texts = (keys: readonly string[]) =>
    keys.flatMap((key) => {
      const value = member(own, [key])?.value;
      if (typeof value !== "string") return [];
      const whole = readUrl(value.trim());
      return whole?.url === undefined ? readText(value, own).slice(0, 1) : [whole];
    });
  const [url] = texts(domainParts.url);
  const [name = url] = texts(domainParts.name);
  return name?.url === undefined && name !== undefined && url?.url !== undefined
    ? { name: name.name, url: url.url }
    : name;
}

/** The hosts and URLs that a text is, one or many; none when it is anything else. */
function readText(text: string, beside: Holder | undefined): PageDomain[] {
  const parts = text.length > 20_000 ? [] : text.split(/[\s,;|]+/).filter((part) => part !== "");
  const domains = parts.map(readUrl);
  if (!domains.every((domain) => domain !== undefined)) return [];
  return domains.map((domain) =>
    domains.length > 1 || domain.url !== undefined ? domain : compose(domain.name, beside),
  );
}

/** Puts a URL together from a host and the parts beside it. */
function compose(host: string, beside: Holder | undefined): PageDomain {
  const part = (keys: readonly string[]) => (beside === undefined ? undefined : member(beside, keys)?.value);
  const [subdomain, path, scheme, port] = [
    part(["subdomain"]),
    part(domainParts.path),
    part(domainParts.scheme),
    part(domainParts.port),
  ];
  const name =
    typeof subdomain === "string" && /^[a-z\d-]+$/i.test(subdomain) ? `${subdomain.toLowerCase()}.${host}` : host;
  if (typeof path !== "string" || /^[a-z]+:/i.test(path)) return { name };
  const start = typeof scheme === "string" ? scheme.replace(/:?\/*$/, "") : "https";
  const colon = typeof port === "number" && ![80, 443].includes(port) ? `:${port}` : "";
  const url = `${start}://${name}${colon}/${path.replace(/^\/+/, "")}`;
  return URL.canParse(url) ? { name, url } : { name };
}

/** A host, or a URL with or without its scheme. */
function readUrl(text: string): PageDomain | undefined {
  const [, scheme = "https:", rest] = /^(https?:)?\/\/([^/?#@\s]+.*)/i.exec(text) ?? [];
  if (rest !== undefined) {
    const url = `${scheme}//${rest}`;
    return URL.canParse(url) ? { name: new URL(url).host, url: text.startsWith("//") ? url : text } : undefined;
  }
  const [, start = "", path = ""] = /^([^/?#\s]+)([/?#]\S*)?$/.exec(text) ?? [];
  const host = readHost(start);
  if (host === undefined) return undefined;
  return path === "" || path === "/" ? { name: host } : { name: host, url: `https://${host}${path}` };
}

const hostName =
  /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!(?:x?html?|php\d?|json|xml|aspx?|jsp|png|jpe?g|gif|svg|webp|avif|ico|pdf|txt|md|css|js|ts|csv|zip|mp4)(?::|$))(?:[a-z]{2,63}|xn--[a-z\d-]+)\.?(?::\d{1,5})?$/i;

function readHost(text: string): string | undefined {
  if (text.length > 260) return undefined;
  if (hostName.test(text))
    return text
      .toLowerCase()
      .replace(/\.(?=:|$)/, "")
      .replace(/:443$/, "");
  // A name in letters of another script is written as the platform writes it in a URL.
  if (!/^[^\s/@:]+\.[^\s/@:.\d]+$/u.test(text) || !/[^ -~]/.test(text)) return undefined;
  return URL.canParse(`https://${text}`) && hostName.test(new URL(`https://${text}`).host) ? text : undefined;
}
