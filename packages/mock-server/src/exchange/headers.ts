import { rateLimitHeaderNames } from "@landing-page-service/contract";

/** Whether HTTP can carry a header. Source: RFC 9110, section 5. */
export function isHeader(name: string, value: unknown): boolean {
  const isValue = typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isValue && /^[!#$%&'*+\-.^_`|~\w]+$/.test(name);
}

/** The headers with those that the service writes itself in its spelling, so that one replaces the other. */
export function spellHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [ownSpelling.get(name.toLowerCase()) ?? name, value]),
  );
}

const ownSpelling = new Map(
  ["Date", "X-Request-Id", "Content-Type", "Retry-After", "Location", ...Object.values(rateLimitHeaderNames)].map(
    (name) => [name.toLowerCase(), name],
  ),
);
