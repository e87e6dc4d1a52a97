/** What a draw needs to know of a domain. */
interface Weighted {
  name: string;
  weight?: number;
}

/**
 * Orders domains for a key by weighted rendezvous hashing, the winner first; different names never compare equal.
 * Over many keys each domain wins in proportion to its weight, and one that comes or goes moves only the keys it wins.
 * Source: Schindelhauer and Schomaker, "Weighted Distributed Hash Tables", the logarithmic method.
 */
export function compareByHash(key: string, one: Weighted, other: Weighted): number {
  return hashScore(key, other) - hashScore(key, one) || (one.name < other.name ? -1 : 1);
}

function hashScore(key: string, { name, weight = 1 }: Weighted): number {
  const uniform = (mix(Math.imul(hash(key), 0x9e3779b1) ^ hash(name)) + 0.5) / 2 ** 32;
  return -weight / Math.log(uniform);
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return mix(state);
}

/** The finalizer of MurmurHash3: every bit in reaches every bit out. Gives 0 to 2^32 - 1. */
function mix(value: number): number {
  let state = value;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
