import { redact as redactKeys } from "@landing-page-service/contract";

/** Where callers put keys, rightly or wrongly. */
const secretHeader = /^(?:proxy-)?authorization$|api-?key|token|^(?:set-)?cookie$/i;
const secretParameter = /((?:^|[?&])(?:api[-_]?key|key|(?:access[-_]?)?token)=)[^&]*/gi;
const redacted = "[redacted]";

/** A text without the key that a request came with, however it is written. */
export function redact(text: string, key: string | undefined): string {
  return key === undefined ? text : redactKeys(text, [key]);
}

/** A query, or a path with one, without keys. */
export function redactQuery(query: string, key: string | undefined): string {
  return redact(query.replaceAll(secretParameter, `$1${redacted}`), key);
}

/** The value of a header without keys. */
export function redactHeader(name: string, value: string, key: string | undefined): string {
  return secretHeader.test(name) ? redacted : redact(value, key);
}
