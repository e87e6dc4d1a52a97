import type { Exchange } from "./exchanges.ts";

/** What the service asks its callers not to do, in the order of the report. */
const breaches = {
  early: "called before the reset of a 429",
  refused: "sent again what a 400 had refused",
  changed: "sent another body under one Idempotency-Key",
  unauthorized: "went on calling after a 401",
} as const;

/** Lists the rules that the requests of a run break, each once. */
export function findBreaches(exchanges: readonly Exchange[]): string[] {
  const found = new Set<string>();
  const keys = new Map<string, string>();
  const late: Exchange[] = [];
  const unauthorized: Exchange[] = [];
  for (const exchange of exchanges) {
    const { sent, idempotencyKey, startedAtMs, response } = exchange;
    const known = exchanges.filter((other) => isKnown(other, exchange));
    const refusals = known.filter(statusIs(400));
    const waits = known.filter(statusIs(429)).map((other) => other.response?.retryAtMs ?? 0);
    if (waits.some((retryAtMs) => startedAtMs < retryAtMs)) found.add(breaches.early);
    if (refusals.some((refusal) => refusal.sent === sent)) found.add(breaches.refused);
    if (idempotencyKey !== null) {
      if ((keys.get(idempotencyKey) ?? sent) !== sent) found.add(breaches.changed);
      if (!keys.has(idempotencyKey)) keys.set(idempotencyKey, sent);
    }
    if (known.some(statusIs(401))) late.push(exchange);
    else if (response?.status === 401) unauthorized.push(exchange);
  }
  // A request that a 401 refused may be sent once more, with another key.
  if (late.some(({ sent }) => count(late, sent) > count(unauthorized, sent))) found.add(breaches.unauthorized);
  return Object.values(breaches).filter((breach) => found.has(breach));
}

/** Whether the caller had read a response when it sent another request. */
function isKnown({ response }: Exchange, { order, startedAtMs }: Exchange): boolean {
  return response !== undefined && response.order < order && response.readAtMs <= startedAtMs;
}

const statusIs =
  (status: number) =>
  ({ response }: Exchange): boolean =>
    response?.status === status;

const count = (exchanges: readonly Exchange[], sent: string): number =>
  exchanges.filter((exchange) => exchange.sent === sent).length;
