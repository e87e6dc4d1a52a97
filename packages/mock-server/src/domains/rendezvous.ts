/**
 * Orders domain names for a key by rendezvous hashing, the winner first; different names never compare equal.
 * Over many keys each name wins equally often, and one that comes or goes moves only the keys it wins.
 */
export function compareByHash(key: string, one: string, other: string): number {
  const score = (name: string): number => mix(Math.imul(hash(key), 0x9e3779b1) ^ hash(name));
  return score(other) - score(one) || (one < other ? -1 : 1);
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return mix(state);
}

/** The finalizer of MurmurHash3: every bit in reaches every bit out. Gives 0 to 2^32 - 1. */
function mix(value: number): number {
  let state = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
