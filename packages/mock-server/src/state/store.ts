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
  /** Made when a slug is first asked for. Most have one page, so the page itself stands in for a list of one. */
  #bySlug: Map<string, StoredPage | OrderedPages> | undefined;
  readonly #byDomain = new Map<string, OrderedPages>();
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
    if (this.#bySlug === undefined) {
      this.#bySlug = new Map();
      for (const page of this.#all) this.#addSlug(page);
    }
    const found = this.#bySlug.get(slug);
    if (found instanceof OrderedPages) return found;
    const pages = new OrderedPages();
    if (found !== undefined) pages.add(found);
    return pages;
  }

  /** Pages on a domain, oldest first. */
  onDomain(name: string): OrderedPages {
    return this.#byDomain.get(name) ?? new OrderedPages();
  }

  /** Occupies the URLs that a record has; none of them is taken. */
  claimUrls({ slug, domains }: PageRecord): void {
    for (const { name, url } of domains) {
      const path = urlPath(name, url);
      // A part cut out of the URL would keep the whole URL alive; mostly it is the slug anyway.
      this.urls.claim(name, path === slug ? slug : path);
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
      assignment: typeof assignment === "object" ? { text, ...assignment } : assignment,
    };
    this.#nextSequence += 1;
    this.#byId.set(page.id, page);
    if (page.id > this.#largestId) this.#largestId = page.id;
    this.#all.add(page);
    this.#addSlug(page);
    for (const { name } of record.domains) this.#domain(name).add(page);
    return page;
  }

  /** Writes a changed record. The URLs it has are claimed, those it had no more are released. */
  replace(page: StoredPage, record: PageRecord): void {
    const before = readRecord(page).domains;
    for (const { name } of before) if (!record.domains.some((domain) => domain.name === name)) this.#leave(page, name);
    for (const { name } of record.domains)
      if (!before.some((domain) => domain.name === name)) this.#domain(name).add(page);
    if (record.slug !== page.slug) {
      this.#removeSlug(page);
      page.slug = record.slug;
      this.#addSlug(page);
    }
    page.text = JSON.stringify(record);
    page.bytes = Buffer.byteLength(page.text);
  }

  /** Removes a page for good and frees its URLs. */
  delete(page: StoredPage): void {
    this.#byId.delete(page.id);
    this.#all.delete(page);
    this.#removeSlug(page);
    const { domains } = readRecord(page);
    for (const { name, url } of domains) {
      this.urls.release(name, urlPath(name, url));
      this.#leave(page, name);
    }
  }

  #leave(page: StoredPage, name: string): void {
    const pages = this.#byDomain.get(name);
    pages?.delete(page);
    if (pages?.size === 0) this.#byDomain.delete(name);
  }

  #domain(name: string): OrderedPages {
    const known = this.#byDomain.get(name);
    if (known !== undefined) return known;
    const pages = new OrderedPages();
    this.#byDomain.set(name, pages);
    return pages;
  }

  #addSlug(page: StoredPage): void {
    const others = this.#bySlug?.get(page.slug);
    if (others === undefined) {
      this.#bySlug?.set(page.slug, page);
    } else if (others instanceof OrderedPages) {
      others.add(page);
    } else {
      const pages = new OrderedPages();
      pages.add(others);
      pages.add(page);
      this.#bySlug?.set(page.slug, pages);
    }
  }

  #removeSlug(page: StoredPage): void {
    const pages = this.#bySlug?.get(page.slug);
    if (pages instanceof OrderedPages) pages.delete(page);
    if (pages === page || (pages instanceof OrderedPages && pages.size === 0)) this.#bySlug?.delete(page.slug);
  }
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
