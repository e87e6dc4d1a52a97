/** Where callers put keys, rightly or wrongly. */
const secretHeader = /^(?:proxy-)?authorization$|api-?key|token|^(?:set-)?cookie$/i;
const secretParameter = /((?:^|&)(?:api[-_]?key|key|(?:access[-_]?)?token)=)[^&]*/gi;
/** Keys that are shorter are found in texts that have nothing to do with them. */
const shortestKey = 8;
const redacted = "[redacted]";

/** A text without the key that a request came with, however it is written. */
export function redact(text: string, key: string | undefined): string {
  if (key === undefined || key.length < shortestKey) return text;
  // Most keys are written in one way only.
  if (/^[\w-]+$/.test(key)) return text.includes(key) ? text.replaceAll(key, redacted) : text;
  const spellings = new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)]);
  let shown = text;
  for (const spelling of spellings) shown = shown.replaceAll(spelling, redacted);
  return shown;
}

/** A query without keys. */
export function redactQuery(query: string, key: string | undefined): string {
  return redact(/key|token/i.test(query) ? query.replaceAll(secretParameter, `$1${redacted}`) : query, key);
}

/** The value of a header without keys. */
export function redactHeader(name: string, value: string, key: string | undefined): string {
  return secretHeader.test(name) ? redacted : redact(value, key);
}
