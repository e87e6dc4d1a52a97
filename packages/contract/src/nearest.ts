/** Finds the known name that a wrong one was most likely meant to be; `undefined` when none is near. */
export function nearest(wrong: string, known: Iterable<string>): string | undefined {
  const plain = plainName(wrong);
  const near = Array.from(known, (name) => ({ name, distance: editDistance(plain, plainName(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

/** Normalizes a name, so that its spelling does not matter. Nothing longer than 60 characters is near any. */
const plainName = (name: string): string => lettersOf(name).slice(0, 60);

/** Normalizes a name to its letters and digits in lower case: `metaDescription`, `meta-description` and `meta_description` are the same. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** Counts the insertions, deletions, replacements and swaps of neighbours that turn one string into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
