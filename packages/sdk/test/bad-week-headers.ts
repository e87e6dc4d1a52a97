// The ways in which services spell a rate limit and the moment at which a caller may come back.

/** How a service spells the moment at which a caller may come back. */
export type Spelling = (typeof spellings)[number];

export const spellings = [
  "seconds",
  "decimal",
  "date",
  "reset in seconds",
  "reset at seconds",
  "reset in seconds, cut",
  "reset at seconds, cut",
  "reset at milliseconds",
  "draft headers",
  "draft field",
  "zoned date",
  "reset long past",
  "none",
] as const;

/** Whether the moment is told to less than a second, or without the service's clock. */
export const exactSpellings: readonly Spelling[] = ["seconds", "decimal"];
/** Those that a clock which is not the service's own misreads, unless a `Date` comes with them. */
export const datedSpellings: readonly Spelling[] = [
  "date",
  "reset at seconds",
  "reset at seconds, cut",
  "reset at milliseconds",
];
/** Those that name no moment: what they say is of no use. */
export const idleSpellings: readonly Spelling[] = ["zoned date", "reset long past", "none"];
/** Those that tell a moment of up to a second before the one that is meant. */
export const cutSpellings: readonly Spelling[] = ["reset in seconds, cut", "reset at seconds, cut"];

interface Left {
  readonly limit: number;
  readonly remaining: number;
  /** Until the window ends, in milliseconds. */
  readonly resetMs: number;
}

/** Writes that nothing is left, for so long. */
export function spellWait(waitMs: number, serviceNowMs: number, spelling: Spelling): Record<string, string> {
  const atMs = serviceNowMs + waitMs;
  if (spelling === "none") return {};
  if (spelling === "zoned date") return { "Retry-After": new Date(atMs).toUTCString().replace("GMT", "+0100") };
  if (spelling === "seconds") return { "Retry-After": String(Math.ceil(waitMs / 1000)) };
  if (spelling === "decimal") return { "Retry-After": (Math.ceil(waitMs / 100) / 10).toFixed(1) };
  if (spelling === "date") return { "Retry-After": new Date(Math.ceil(atMs / 1000) * 1000).toUTCString() };
  return spellLimit({ limit: 10, remaining: 0, resetMs: waitMs }, serviceNowMs, spelling);
}

/** Writes what is left of a window; what has no spelling of its own is told in seconds since 1970. */
export function spellLimit(
  { limit, remaining, resetMs }: Left,
  serviceNowMs: number,
  spelling: Spelling,
): Record<string, string> {
  const toSeconds = cutSpellings.includes(spelling) ? Math.floor : Math.ceil;
  const inSeconds = String(toSeconds(resetMs / 1000));
  if (spelling === "draft field")
    return {
      RateLimit: `"default";r=${remaining};t=${inSeconds}`,
      "RateLimit-Policy": `"default";q=${limit};w=60`,
    };
  if (spelling === "reset long past") resetMs -= 86_400_000;
  const names = spelling === "draft headers" ? "RateLimit" : "X-RateLimit";
  const atMs = serviceNowMs + resetMs;
  const isSpan = spelling.startsWith("reset in seconds") || spelling === "draft headers";
  const reset = isSpan ? inSeconds : String(spelling === "reset at milliseconds" ? atMs : toSeconds(atMs / 1000));
  return { [`${names}-Limit`]: String(limit), [`${names}-Remaining`]: String(remaining), [`${names}-Reset`]: reset };
}
