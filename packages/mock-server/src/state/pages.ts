import type { PageRecord } from "@landing-page-service/contract";
import type { Assignment } from "../domains/network.ts";

/** A page as it is kept. A change puts another one in its place. */
export interface StoredPage {
  readonly record: Readonly<PageRecord>;
  /** Decides the assignment once more: its reasons take several times the room of the page. `undefined` when nobody knows them. */
  readonly explain: () => Assignment | undefined;
}

/** The pages of one account in creation order, and the URLs they occupy. */
export class PageStore implements Iterable<StoredPage> {
  readonly #pages = new Map<string, StoredPage>();
  readonly #urls = new Set<string>();
  /** Number of pages on each domain. */
  readonly #loads = new Map<string, number>();

  get size(): number {
    return this.#pages.size;
  }

  [Symbol.iterator](): Iterator<StoredPage> {
    return this.#pages.values();
  }

  get(id: string): StoredPage | undefined {
    return this.#pages.get(id);
  }

  /** Stores a page. One with the same id is replaced and keeps its place. */
  set(page: StoredPage): void {
    this.#release(page.record.id);
    this.#pages.set(page.record.id, page);
    for (const { name, url } of page.record.domains) {
      this.#urls.add(url);
      this.#loads.set(name, this.countOn(name) + 1);
    }
  }

  /** Removes a page and frees its URLs. */
  delete(id: string): void {
    this.#release(id);
    this.#pages.delete(id);
  }

  /** Number of pages that a domain serves. */
  countOn(domainName: string): number {
    return this.#loads.get(domainName) ?? 0;
  }

  /** Whether a page of the account has this URL. */
  isTaken(url: string): boolean {
    return this.#urls.has(url);
  }

  /** A free URL on a domain: with the slug as its path, or with `-2`, `-3`, … after it. URLs of `own` count as free. */
  // Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
  findUrl(domainName: string, slug: string, own: PageRecord["domains"] = []): string {
    for (let number = 1; ; number += 1) {
      const url = pageUrl(domainName, number === 1 ? slug : `${slug}-${number}`);
      if (!this.isTaken(url) || own.some((domain) => domain.url === url)) return url;
    }
  }

  #release(id: string): void {
    for (const { name, url } of this.#pages.get(id)?.record.domains ?? []) {
      this.#urls.delete(url);
      this.#loads.set(name, this.countOn(name) - 1);
    }
  }
}

/** The address of a path on a domain: `https://{domain}/{path}`. */
export function pageUrl(domainName: string, path: string): string {
  return `https://${domainName}/${path}`;
}

/** A copy for a caller, who may change it. */
export function copyPage(record: Readonly<PageRecord>): PageRecord {
  return { ...record, cta: { ...record.cta }, domains: record.domains.map((domain) => ({ ...domain })) };
}
