/**
 * The paths one account's pages occupy on each domain, so that no two pages share a URL.
 * Claiming and releasing take amortised constant time, also for a million pages of one slug: per slug and domain only
 * the number to try next is kept, and it is kept only while the path just below it is taken.
 */
export class UrlRegistry {
  /** By path the domains on which it is taken: nearly always all those of one page. */
  readonly #holders = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  readonly #nextNumber = new Map<string, Map<string, number>>();

  /**
   * Occupies a free path on each of some domains and gives them back: the slug itself, or the slug with `-2`, `-3`, … where taken.
   * Numbers go upwards; one freed in the middle is not handed out again until those above it are free too. The list of domains is kept.
   */
  // Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
  claim(domainNames: readonly string[], slug: string): string[] {
    const holders = this.#holders.get(slug) ?? [];
    const isFree = (name: string): boolean => !holders.includes(name);
    this.#take(domainNames.every(isFree) ? domainNames : domainNames.filter(isFree), slug);
    return domainNames.map((name) => (isFree(name) ? slug : this.#claimNumber(name, slug)));
  }

  /** Frees a path that {@link claim} gave. A path that is not taken changes nothing. */
  release(domainName: string, path: string): void {
    if (!this.isTaken(domainName, path)) return;
    const others = this.#holders.get(path)?.filter((name) => name !== domainName) ?? [];
    if (others.length > 0) this.#holders.set(path, others);
    else this.#holders.delete(path);
    const count = this.count(domainName) - 1;
    if (count > 0) this.#counts.set(domainName, count);
    else this.#counts.delete(domainName);
    const nextNumber = this.#nextNumber.get(domainName);
    if (nextNumber !== undefined) stepBack(nextNumber, (other) => this.isTaken(domainName, other), path);
    if (nextNumber?.size === 0) this.#nextNumber.delete(domainName);
  }

  /** Whether a page occupies this path on this domain. */
  isTaken(domainName: string, path: string): boolean {
    return this.#holders.get(path)?.includes(domainName) ?? false;
  }

  /** Number of pages with a path on this domain: its load. */
  count(domainName: string): number {
    return this.#counts.get(domainName) ?? 0;
  }

  #take(domainNames: readonly string[], path: string): void {
    if (domainNames.length === 0) return;
    const holders = this.#holders.get(path);
    this.#holders.set(path, holders === undefined ? domainNames : [...holders, ...domainNames]);
    for (const name of domainNames) this.#counts.set(name, this.count(name) + 1);
  }

  #claimNumber(domainName: string, slug: string): string {
    const nextNumber = this.#nextNumber.get(domainName) ?? new Map<string, number>();
    this.#nextNumber.set(domainName, nextNumber);
    let number = nextNumber.get(slug) ?? firstNumber;
    while (this.isTaken(domainName, `${slug}-${number}`)) number += 1;
    nextNumber.set(slug, number + 1);
    // Joined, because a template would be kept as its parts: 32 bytes more for each of a million pages and their domains.
    const path = [slug, number].join("-");
    this.#take([domainName], path);
    return path;
  }
}

/** The address of a path on a domain: `https://{domain}/{path}`. */
export function pageUrl(domainName: string, path: string): string {
  return `https://${domainName}/${path}`;
}

const firstNumber = 2;

/**
 * When the path just below a slug's next number was freed, moves that number down to the free ones and forgets it at the
 * start. Natural slugs count too (`shoes-7` may be its own slug), so no number outlives the paths that raised it.
 */
function stepBack(nextNumber: Map<string, number>, isTaken: (path: string) => boolean, path: string): void {
  const hyphen = path.lastIndexOf("-");
  const slug = path.slice(0, Math.max(hyphen, 0));
  let number = nextNumber.get(slug);
  if (number === undefined || path !== `${slug}-${number - 1}`) return;
  while (number > firstNumber && !isTaken(`${slug}-${number - 1}`)) number -= 1;
  if (number === firstNumber) nextNumber.delete(slug);
  else nextNumber.set(slug, number);
}
