/**
 * The paths one account's pages occupy on each domain, so that no two pages share a URL.
 * Claiming and releasing take amortised constant time, also for a million pages of one slug: per slug and domain only
 * the number to try next is kept, and it is kept only while the path just below it is taken.
 */
export class UrlRegistry {
  readonly #taken = new Map<string, Set<string>>();
  readonly #nextNumber = new Map<string, Map<string, number>>();

  /**
   * Occupies a free path on a domain and gives it back: the slug itself, or the slug with `-2`, `-3`, … where taken.
   * Numbers go upwards; one freed in the middle is not handed out again until those above it are free too.
   */
  // Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
  claim(domainName: string, slug: string): string {
    const taken = entry(this.#taken, domainName, () => new Set<string>());
    const before = taken.size;
    if (taken.add(slug).size > before) return slug;
    const nextNumber = entry(this.#nextNumber, domainName, () => new Map<string, number>());
    let number = nextNumber.get(slug) ?? firstNumber;
    while (taken.has(`${slug}-${number}`)) number += 1;
    nextNumber.set(slug, number + 1);
    // Joined, because a template would be kept as its parts: 32 bytes more for each of a million pages and their domains.
    const path = [slug, number].join("-");
    taken.add(path);
    return path;
  }

  /** Frees a path that {@link claim} gave. A path that is not taken changes nothing. */
  release(domainName: string, path: string): void {
    const taken = this.#taken.get(domainName);
    if (taken?.delete(path) !== true) return;
    const nextNumber = this.#nextNumber.get(domainName);
    if (nextNumber !== undefined) stepBack(nextNumber, taken, path);
    if (taken.size === 0) this.#taken.delete(domainName);
    if (nextNumber?.size === 0) this.#nextNumber.delete(domainName);
  }

  /** Whether a page occupies this path on this domain. */
  isTaken(domainName: string, path: string): boolean {
    return this.#taken.get(domainName)?.has(path) ?? false;
  }

  /** Number of pages with a path on this domain: its load. */
  count(domainName: string): number {
    return this.#taken.get(domainName)?.size ?? 0;
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
function stepBack(nextNumber: Map<string, number>, taken: ReadonlySet<string>, path: string): void {
  const hyphen = path.lastIndexOf("-");
  const slug = path.slice(0, Math.max(hyphen, 0));
  let number = nextNumber.get(slug);
  if (number === undefined || path !== `${slug}-${number - 1}`) return;
  while (number > firstNumber && !taken.has(`${slug}-${number - 1}`)) number -= 1;
  if (number === firstNumber) nextNumber.delete(slug);
  else nextNumber.set(slug, number);
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
