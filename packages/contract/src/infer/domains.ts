// The domains that serve a page: which fields hold them, and how they are written there.
import { isObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import { readName } from "./names.ts";
import {
  decode,
  findField,
  type JsonNode,
  listPlainFields,
  type NamedField,
  nameField,
  type Path,
  resolve,
  untag,
} from "./nodes.ts";

/** A field that may hold domains. The lowest order that gives any counts alone. */
export interface DomainSource {
  readonly path: Path;
  /** 0: called a domain. 1: the public URL. 2: the site. 3: just a URL. 4: any URL, which must end with the slug. 5: called a domain, around the page. */
  readonly order: number;
}

const domainWord = /^(?:domain|host|hostname|fqdn|alias|aliase|placement)s?$/;
const siteWord = /^(?:site|website)s?$/;
const urlWord = /^(?:urls?|link|permalink|href)$/;
/** Words that may stand beside these: `primary_domain` is one of the page, `ftp_host` is not. */
const plainWord =
  /^(?:page|landing|primary|main|custom|default|assigned|host(?:ed|ing)|all|other|secondary|full|network|name|online|my)s?$/;
/** Words for a URL at which the public sees the page. */
const publicWord = /^(?:public|published|live|site|web|html|page|store|hosted|share|canonical|permalink)$/;
/** Words for another host than the page's. */
const privateWord =
  /^(?:e?mail|tracking|sender|cdn|api|preview|draft|staging|admin|edit|dashboard|builder|screenshot|blocked|allowed|suggested|rejected|competitors?|checked|stats|hits|redirect|callback|source|self|detail|documentation)$/;

/** The fields of a page, and of what is around it, that may hold domains. */
export function listDomainSources(nodes: readonly JsonNode[]): DomainSource[] {
  const sources = nodes.flatMap((node) =>
    [...node.fields, ...listStatusFields(node)].flatMap((field) => readSource(field) ?? []),
  );
  const around: DomainSource[] = [];
  for (let node = nodes.at(-1)?.parent; node !== undefined; node = node.parent)
    for (const { key, path } of node.fields) if (key === "domains" || key === "domain") around.push({ path, order: 5 });
  return [...sources, ...around].toSorted((one, other) => one.order - other.order);
}

/** Some services tell in a `status` where they serve a page. */
function listStatusFields({ fields }: JsonNode): NamedField[] {
  const status = fields.find(({ key }) => key === "status");
  if (!isObject(status?.value)) return [];
  return Object.entries(status.value).map(([name, value]) => nameField(name, value, status.path));
}

function readSource({ words, isForeign, path, value }: NamedField): DomainSource | undefined {
  const has = (word: RegExp) => words.some((each) => word.test(each));
  const areKnown = words.every((each) => [domainWord, urlWord, publicWord, plainWord].some((word) => word.test(each)));
  if (isForeign || has(privateWord)) return undefined;
  if (has(domainWord) && areKnown) return { path, order: 0 };
  if (has(urlWord) && has(publicWord) && areKnown) return { path, order: 1 };
  if (has(siteWord) && words.length === 1) return { path, order: 2 };
  if (has(urlWord) && words.length === 1) return { path, order: 3 };
  return isUrl(value) ? { path, order: 4 } : undefined;
}

/** What tells the domains of a page from other hosts. */
export interface DomainContext {
  readonly apiHost: string | undefined;
  readonly slugs: readonly unknown[];
  readonly ctaUrl: unknown;
}

/** Finds the domains that a page names, from the surest sources that name any. */
export function readDomains(
  value: unknown,
  sources: readonly DomainSource[],
  { apiHost, slugs, ctaUrl }: DomainContext,
): PageDomain[] {
  const isOwn = ({ name, url }: PageDomain) => name !== apiHost && (url === undefined || url !== ctaUrl);
  const endsWithSlug = ({ url = "" }: PageDomain) =>
    slugs.some((slug) => typeof slug === "string" && url.replace(/\/$/, "").endsWith(`/${slug}`));
  for (const order of new Set(sources.map((source) => source.order))) {
    const found = sources
      .filter((source) => source.order === order)
      .flatMap(({ path }) => domainsIn(resolve(value, path)));
    const own = found.filter(
      (domain) =>
        isOwn(domain) &&
        (order === 0 || order === 2 || order === 5 || !isApi(domain)) &&
        (order !== 4 || endsWithSlug(domain)),
    );
    if (own.length > 0) return [...new Map(own.map((domain) => [domain.name, domain])).values()];
  }
  return [];
}

const isApi = ({ url = "/api/" }: PageDomain): boolean => url.includes("/api/");

function isUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//i.test(value);
}

const most = 200;

function domainsIn(given: unknown): PageDomain[] {
  const value = decode(untag(given));
  if (typeof value === "string") return value.split(/[\s,;]+/).flatMap(readHost);
  if (Array.isArray(value)) return value.slice(0, most).flatMap(domainsIn);
  if (!isObject(value)) return [];
  const fields = listPlainFields(value);
  const isGone = /inactive|pending|removed|failed/i.test(String(value["status"]));
  if (isGone || findField({ fields }, ["deletedat", "removedat"], (at) => Boolean(at) || undefined)) return [];
  const read = (...wanted: string[]) => findField({ fields }, wanted, (each) => domainsIn(each)[0])?.value;
  const name = read("name", "host", "hostname", "domain", "fqdn");
  const url = read("url", "href", "publicurl", "base", "origin");
  const known = name ?? url;
  if (known !== undefined) return [{ ...known, ...(url?.url !== undefined && { url: url.url }) }];
  return Object.entries(value).flatMap(([key, inner]) => {
    const [host] = readHost(key);
    if (host !== undefined) return [isUrl(inner) ? { name: host.name, url: String(inner) } : host];
    const { words, isForeign } = readName(key);
    const isOther = isForeign || words.some((word) => privateWord.test(word));
    return typeof inner !== "object" || isOther ? [] : domainsIn(inner);
  });
}

function readHost(text: string): PageDomain[] {
  const url = URL.parse(isUrl(text) ? text : `https://${text}`);
  const isHost = /^(?:[a-z\d-]+\.)+(?!html?$|php$|json$|xml$|pdf$|png$|jpe?g$)[a-z]{2,}$/i;
  if (url === null || !isHost.test(url.hostname) || /\s|@/.test(text)) return [];
  const hasUrl = text.includes("/");
  return [{ name: url.host, ...(hasUrl && { url: isUrl(text) ? text : url.href }) }];
}
