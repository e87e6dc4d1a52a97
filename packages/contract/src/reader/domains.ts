// The domains of a page, in whatever form a service writes its public address. An invented one is worse than none.
import { isObject, type JsonObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import type { Asked } from "./answer.ts";
import { parseInner } from "./body.ts";
import { type Holder, holderOf, innerHolders, member, membersOf, type Place, wayTo } from "./facts.ts";
import { readTime, textOf } from "./fields.ts";
import { hasName, isNamedThing, ownIdOf, readId } from "./identifier.ts";
import { keys, readName } from "./names.ts";

/** Domains of an answer by identifier. */
export type Things = ReadonlyMap<string, unknown>;

/** What is known of a page: the host of the service itself, where the page leads, what its own address may end with, domains by identifier. */
type PageFacts = Pick<Asked, "apiHost"> & { ctaUrl: string | undefined; slug: unknown; things?: Things | undefined };

/**
 * Reads the domains of a page from all that its record says of its public address, in whatever form; empty when it says
 * nothing. Of what is around a record, only what is called a domain counts.
 */
export function readDomains(
  holders: readonly Holder[],
  { apiHost, ctaUrl, slug, things = new Map<string, unknown>() }: PageFacts,
  isAround = false,
): { domains: PageDomain[]; path: readonly string[] | undefined } {
  const found = holders.flatMap((holder) => {
    const isLent = lends(holder, holders[0]?.path ?? []);
    return membersOf(holder).flatMap(([meant, name]) => {
      const value = holder.value[name];
      // Most members can be no address by their looks.
      if (typeof value === "string" ? !/[.:]/.test(value) : typeof value !== "object") return [];
      const { domainRank, isForeign, says, areLinks, areDomains } = readName(meant);
      const isLinks = areLinks && !(Array.isArray(value) && typeof value[0] === "string");
      const isGiven = Array.isArray(value) && /^(?:publish(?:ed)?|live|online)$/i.test(meant);
      const named = isLent && isLinks === areLinks ? (domainRank ?? (isGiven ? 4 : undefined)) : undefined;
      const known = named ?? (areDomains && isOpen(holder, meant, holders[0]) ? 0.5 : undefined);
      // A URL that ends with the slug of the page is its own under any name that does not deny it.
      const isOwn = typeof value !== "string" || value.includes(`/${textOf(slug)}`);
      const mayBe = isOwn && (!isForeign || says("url")) && isOpen(holder, meant, holders[0]);
      const rank = known ?? (mayBe ? 5 : undefined);
      if (rank === undefined || (isAround && rank > 0)) return [];
      const isThing = isObject(value) && !/domain|host|url|link/i.test(meant) && isNamedThing(holderOf(value));
      if (isThing && !saysHost(value)) return [];
      const own = readDomain(value, holder, isLinks, says("url") ? undefined : holder);
      const usable = own.filter(({ url }) => known !== undefined || endsWith(url, slug));
      return usable.map((domain) => ({ domain, rank: isThing ? 4 : rank, path: [...holder.path, name] }));
    });
  });
  const isElsewhere = ({ name, url = "" }: PageDomain) =>
    name === apiHost || url === (ctaUrl ?? "-") || /^[^?#]*\/api(?:[/(?#]|$)/.test(url);
  const referred = isAround || things.size === 0 ? [] : holders.flatMap((holder) => readReferences(holder, things));
  const usable = [...referred, ...found]
    .filter(({ domain }) => !isElsewhere(domain))
    .toSorted((one, other) => one.rank - other.rank);
  const byHost = new Map<string, PageDomain>();
  for (const { domain, rank } of usable) {
    const known = byHost.get(domain.name);
    // What is less sure may still tell the URL on a host that is known.
    if (known === undefined ? rank === usable[0]?.rank : known.url === undefined) byHost.set(domain.name, domain);
  }
  return { domains: [...byHost.values()], path: usable[0]?.path };
}

/** Whether a thing of its own, such as the site that a page belongs to, has a host under a name that can only be one's. */
function saysHost(value: JsonObject): boolean {
  return member(holderOf(value), ["domain", "host", "hostname", "fqdn", "domainname"]) !== undefined;
}

/** What an answer lists as domains, or beside its pages as of that kind, by identifier. */
export function findThings(places: readonly Place[]): Things {
  const things = new Map<string, unknown>();
  for (const { value, path } of places) {
    const isOfDomains = readName(path.at(-1) ?? "").says("domain");
    const isAside = isOfDomains || /^(?:included|linked)$/i.test(path.at(-1) ?? "");
    if (!isAside || typeof value !== "object" || value === null || path.some((name) => /^\d+$/.test(name))) continue;
    for (const [key, each] of Object.entries(value)) {
      if (!isObject(each)) continue;
      const holder = holderOf(each);
      const isDomain = isOfDomains || readName(textOf(member(holder, keys.kind)?.value)).says("domain");
      if (isDomain && !hasName(holder)) things.set(ownIdOf(holder)?.id ?? key, each);
    }
  }
  return things;
}

/** The domains that a record names by their identifiers: `domain_ids`, or `relationships` as JSON:API has them. */
function readReferences(holder: Holder, things: Things) {
  return [holder, ...innerHolders(holder, ["relationships"])].flatMap((place) =>
    membersOf(place).flatMap(([meant, name]) => {
      const ids = readName(meant).says("domain") ? readIds(place.value[name]) : [];
      const own = ids.flatMap((id) => readDomain(things.get(id), holder, false));
      return own.map((domain) => ({ domain, rank: -1, path: [...place.path, name] }));
    }),
  );
}

function readIds(value: unknown): string[] {
  const inner = isObject(value) ? (member(holderOf(value), ["data"])?.value ?? value) : value;
  return [inner].flat().flatMap((each) => {
    const isReference = !isObject(each) || Object.keys(each).every((name) => /^_?(?:id|type)$/i.test(name));
    return (isReference ? readId(each) : undefined) ?? [];
  });
}

/** Whether no name of a member, or of what it is in, is a word for where the page is not. */
function isOpen(holder: Holder, meant: string, record: Holder | undefined): boolean {
  return (
    ![...wayTo(holder), meant].some((name) => readName(name).says("notPublic")) &&
    (holder === record || holder.above === undefined || !hasName(holder))
  );
}

function endsWith(url: string | undefined, slug: unknown): boolean {
  const path = (url && URL.parse(url)?.pathname.replace(/(?:\.html?)?\/?$/, "")) ?? "";
  return typeof slug === "string" && slug !== "" && path.endsWith(`/${slug}`);
}

/** Whether an object in a page may tell of its address: every name on the way to it is that of a part of the page, or speaks of the address itself. */
function lends({ path, naming }: Holder, way: readonly string[]): boolean {
  return path.every((name, at) => name === way[at] || mayLend(name) || (naming && mayLend(naming(name))));
}

function mayLend(name: string): boolean {
  const { saysOnly, isNeutral, isEntered, domainRank } = readName(name);
  return (
    saysOnly("inner", "serving", "split", "public", "neutral") || isNeutral || (isEntered && domainRank !== undefined)
  );
}

/** All domains in a value of any form, of links the public ones: a host, a URL, either in parts, many of them, or a map. The parts of a host may be `beside` it. */
function readDomain(value: unknown, around: Holder, isLinks: boolean, beside?: Holder, level = 0): PageDomain[] {
  if (level > 4) return [];
  const inner = parseInner(value);
  if (typeof inner === "string") return readTexts(inner, beside);
  const areLinks = isLinks && inner !== value;
  if (Array.isArray(inner))
    return inner.slice(0, 200).flatMap((each) => {
      const relation = isObject(each) ? each["rel"] : undefined;
      const isOther = (isLinks || relation !== undefined) && !isPublicRelation(relation);
      return isOther ? [] : readDomain(each, around, areLinks, undefined, level + 1);
    });
  if (!isObject(inner)) return [];
  const own = holderOf(inner, [], around);
  if (isOff(own)) return [];
  const whole = readParts(own);
  if (whole !== undefined) return [whole];
  return [...own.members.values()].flatMap((name) => {
    const each = inner[name];
    // A map whose keys are hosts; what counts or denies them tells of no address.
    const isTold =
      typeof each === "string" ? !readName(each).says("notPublic") : each !== false && typeof each !== "number";
    const host = isTold && name.includes(".") ? readHost(name) : undefined;
    const parts = {
      host,
      ...(isObject(each) ? each : typeof each === "string" && each.includes("/") && { url: each, path: each }),
    };
    const entry = holderOf(parts);
    const domain = host === undefined ? undefined : readParts(entry);
    if (domain !== undefined) return isOff(entry) ? [] : [domain];
    const isOther = isLinks ? !isPublicRelation(name) : readName(name.replace(/_?ids?$/i, "")).says("notPublic");
    return isOther ? [] : readDomain(each, around, areLinks, undefined, level + 1);
  });
}

/** Whether a domain says that it leads no visitor to the page: by its state, a flag, or the moment when it ended. */
function isOff({ value, members }: Holder): boolean {
  return [...members].some(([key, name]) => {
    const told = value[name];
    if (told === false || told === 0) return /^(?:is)?(?:active|enabled|live|online|attached)$/.test(key);
    if (typeof told === "string" && /^(?:domain)?(?:status|state)$/.test(key)) return readName(told).says("off");
    return readName(name).says("off") && (told === true || readTime(told) !== undefined);
  });
}

function isPublicRelation(name: unknown): boolean {
  const about = [name].flat().map(textOf).join(" ");
  return (readName(about).says("public", "domain") || /\bpermalink/i.test(about)) && !readName(about).says("notPublic");
}

/** A domain in parts: a host and a URL, or a host and what a URL is put together from. */
function readParts(own: Holder): PageDomain | undefined {
  const first = (asked: readonly string[]) =>
    asked.flatMap((key) => {
      const value = member(own, [key])?.value;
      if (typeof value !== "string") return [];
      const whole = readUrl(value.trim());
      return whole?.url === undefined ? readTexts(value, own).slice(0, 1) : [whole];
    })[0];
  const url = first(keys.domainUrl);
  const name = first(keys.domainName) ?? url;
  return name?.url === undefined && name !== undefined && url?.url !== undefined
    ? { name: name.name, url: url.url }
    : name;
}

/** The hosts and URLs that a text is, one or many; none when it is anything else. */
function readTexts(text: string, beside: Holder | undefined): PageDomain[] {
  const parts = text.length > 20_000 ? [] : text.split(/[\s,;|]+/).filter((part) => part !== "");
  const domains = parts.map(readUrl);
  if (!domains.every((domain) => domain !== undefined)) return [];
  const [only] = domains;
  return only !== undefined && domains.length === 1 && only.url === undefined ? [compose(only.name, beside)] : domains;
}

/** Puts a URL together from a host and the parts beside it. */
function compose(host: string, beside: Holder | undefined): PageDomain {
  const part = (asked: readonly string[]) => {
    const found = beside && member(beside, asked);
    // A marked one is where the record is stored.
    return found?.name.startsWith("@") === true ? undefined : found?.value;
  };
  const [below, way, port] = [part(["subdomain"]), part(keys.domainPath), part(["port"])];
  const start = typeof below === "string" ? below.toLowerCase() : "";
  // Either may be the whole name already.
  const isWhole = host.startsWith(`${start}.`) || !/^[a-z\d-]+$/.test(start);
  const name = start.endsWith(`.${host}`) ? start : isWhole ? host : `${start}.${host}`;
  // A path of the API is not the page's.
  if (typeof way !== "string" || /^(?:[a-z]+:|\/?api\/)/i.test(way)) return { name };
  const colon = typeof port === "number" && ![80, 443].includes(port) ? `:${port}` : "";
  const scheme = part(keys.scheme);
  const url = `${typeof scheme === "string" ? scheme.replace(/:?\/*$/, "") : "https"}://${name}${colon}/${way.replace(/^\/+/, "")}`;
  return URL.canParse(url) ? { name, url } : { name };
}

/** A host, or a URL with or without its scheme. */
function readUrl(text: string): PageDomain | undefined {
  const [, scheme = "https:", rest] = /^(https?:)?\/\/([^/?#@\s]+.*)/i.exec(text) ?? [];
  if (rest !== undefined) {
    const url = URL.parse(`${scheme}//${rest}`);
    return url === null ? undefined : { name: url.host, url: text.startsWith("//") ? `${scheme}${text}` : text };
  }
  // A name may say what it is the name of: `urn:domain:a.example`.
  const [, start = "", path = ""] = /^(?:[a-z][a-z\d-]*:)*([^/?#\s]+)([/?#]\S*)?$/i.exec(text) ?? [];
  const host = readHost(start);
  if (host === undefined) return undefined;
  return path === "" || path === "/" ? { name: host } : { name: host, url: `https://${host}${path}` };
}

const hostName =
  /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!(?:x?html?|php\d?|json|xml|aspx?|jsp|png|jpe?g|gif|svg|webp|avif|ico|pdf|txt|md|css|js|ts|csv|zip|mp4)(?::|$))(?:[a-z]{2,63}|xn--[a-z\d-]+)\.?(?::\d{1,5})?$/i;

function readHost(text: string): string | undefined {
  if (text.length > 260) return undefined;
  if (hostName.test(text)) return text.toLowerCase().replaceAll(/\.(?=:|$)|:443$/g, "");
  // A name in letters of another script is written as the platform writes it in a URL.
  if (!/^[^\s/@:]+\.[^\s/@:.\d]+$/u.test(text) || !/[^ -~]/.test(text)) return undefined;
  return hostName.test(URL.parse(`https://${text}`)?.host ?? "") ? text : undefined;
}
