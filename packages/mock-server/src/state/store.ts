import type { PageRecord } from "@landing-page-service/contract";
import type { Assignment } from "../domains/assignment.ts";
import { OrderedPages } from "./ordered-pages.ts";
import type { DecidedBy, StoredPage } from "./stored-page.ts";
import { pageUrl, UrlRegistry } from "./urls.ts";

/** The pages of one account, with the paths they occupy. */
export class PageStore {
  /** Paths taken on each domain. */
  readonly urls = new UrlRegistry();
  readonly #byId = new Map<string, StoredPage>();
  readonly #all = new OrderedPages();
  readonly #bySlug = new PageIndex(this.#all, ({ slug }) => [slug]);
  readonly #byDomain = new PageIndex(this.#all, ({ domains }) => domains);
  #nextSequence = 0;
  #largestId = "";

  /** All pages, oldest first. */
  get all(): OrderedPages {
    return this.#all;
  }

  get(id: string): StoredPage | undefined {
    return this.#byId.get(id);
  }

  /** Whether a page can have an identifier. New ones sort after those before, so hardly any has to be looked for. */
  isFree(id: string): boolean {
    return id > this.#largestId || !this.#byId.has(id);
  }

  /** Pages with a slug, oldest first. */
  withSlug(slug: string): OrderedPages {
    return this.#bySlug.pagesOf(slug);
  }

  /** Pages on a domain, oldest first. */
  onDomain(name: string): OrderedPages {
    return this.#byDomain.pagesOf(name);
  }

  /** Occupies the URLs that a record has; none of them is taken. */
  claimUrls({ slug, domains }: PageRecord): void {
    for (const [path, some] of Map.groupBy(domains, ({ name, url }) => urlPath(name, url))) {
      // A part cut out of the URL would keep the whole URL alive; mostly it is the slug anyway.
      this.urls.claim(
        some.map(({ name }) => name),
        path === slug ? slug : path,
      );
    }
  }

  /** Keeps a new page. Its URLs are already claimed, its id is not in use. */
  insert(record: PageRecord, assignment?: Omit<DecidedBy, "text"> | StoredPage["assignment"]): StoredPage {
    const text = JSON.stringify(record);
    const page: StoredPage = {
      id: record.id,
      sequence: this.#nextSequence,
      slug: record.slug,
      text,
      bytes: Buffer.byteLength(text),
      domains: record.domains.map(({ name }) => name),
      assignment: typeof assignment === "object" ? { text, ...assignment } : assignment,
    };
    this.#nextSequence += 1;
    this.#byId.set(page.id, page);
    if (page.id > this.#largestId) this.#largestId = page.id;
    this.#all.add(page);
    this.#bySlug.add(page);
    this.#byDomain.add(page);
    return page;
  }

  /** Writes a changed record. The URLs it has are claimed, those it had no more are released. */
  replace(page: StoredPage, record: PageRecord): void {
    const domains = record.domains.map(({ name }) => name);
    const isOnSame = domains.length === page.domains.length && domains.every((name, at) => name === page.domains[at]);
    const moved = [...(record.slug === page.slug ? [] : [this.#bySlug]), ...(isOnSame ? [] : [this.#byDomain])];
    for (const index of moved) index.delete(page);
    page.slug = record.slug;
    page.domains = domains;
    for (const index of moved) index.add(page);
    page.text = JSON.stringify(record);
    page.bytes = Buffer.byteLength(page.text);
  }

  /** Removes a page for good and frees its URLs. */
  delete(page: StoredPage): void {
    this.#byId.delete(page.id);
    this.#all.delete(page);
    this.#bySlug.delete(page);
    this.#byDomain.delete(page);
    for (const { name, url } of readRecord(page).domains) this.urls.release(name, urlPath(name, url));
  }
}

/** Pages by what they have, such as a slug. Made when it is first asked for. */
class PageIndex {
  readonly #all: OrderedPages;
  readonly #keysOf: (page: StoredPage) => readonly string[];
  /** Most slugs have one page, so the page itself stands in for a list of one. */
  #pages: Map<string, StoredPage | OrderedPages> | undefined;

  constructor(all: OrderedPages, keysOf: (page: StoredPage) => readonly string[]) {
    this.#all = all;
    this.#keysOf = keysOf;
  }

  /** Oldest first. */
  pagesOf(key: string): OrderedPages {
    if (this.#pages === undefined) {
      this.#pages = new Map();
      for (const page of this.#all) this.add(page);
    }
    const found = this.#pages.get(key);
    return found instanceof OrderedPages ? found : listOf(found);
  }

  add(page: StoredPage): void {
    if (this.#pages === undefined) return;
    for (const key of this.#keysOf(page)) {
      const others = this.#pages.get(key);
      if (others instanceof OrderedPages) others.add(page);
      else this.#pages.set(key, others === undefined ? page : listOf(others, page));
    }
  }

  delete(page: StoredPage): void {
    if (this.#pages === undefined) return;
    for (const key of this.#keysOf(page)) {
      const pages = this.#pages.get(key);
      if (pages instanceof OrderedPages) pages.delete(page);
      if (pages === page || (pages instanceof OrderedPages && pages.size === 0)) this.#pages.delete(key);
    }
  }
}

function listOf(...some: readonly (StoredPage | undefined)[]): OrderedPages {
  const pages = new OrderedPages();
  for (const page of some) if (page !== undefined) pages.add(page);
  return pages;
}

/** The record that a page's text holds. */
export function readRecord(page: StoredPage): PageRecord {
  return JSON.parse(page.text) as PageRecord; // the store wrote this text from a record
}

/** Why a page is on its domains, as it was decided; `undefined` where nobody said. */
export function readAssignment({ assignment }: Pick<StoredPage, "assignment">): Assignment | undefined {
  if (assignment === undefined) return undefined;
  if (typeof assignment === "string") return JSON.parse(assignment) as Assignment; // a network wrote this text
  const { network, rules, loads = {}, text } = assignment;
  return network.assign(JSON.parse(text) as PageRecord, (name) => loads[name] ?? 0, rules); // the store wrote this text from a record
}

/** The path of a page's URL on a domain, without the leading slash. */
export function urlPath(domainName: string, url: string): string {
  return url.slice(pageUrl(domainName, "").length);
}
