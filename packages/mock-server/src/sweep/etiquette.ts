import type { Exchange } from "./exchanges.ts";

/** Tells how a run's requests went against what the service asks of its callers: each breach once. */
export function findBreaches(exchanges: readonly Exchange[]): string[] {
  const breaches = [
    exchanges.some((exchange) => isTooEarly(exchange, exchanges)) && "called before the reset of a 429",
    exchanges.some((exchange) => repeatsRefused(exchange, exchanges)) && "sent again what a 400 had refused",
    changesUnderKey(exchanges) && "sent another body under one Idempotency-Key",
    goesOnUnauthorized(exchanges) && "went on calling after a 401",
  ];
  return breaches.filter((breach) => breach !== false);
}

/** Source: spec, "Rate limiting". */
function isTooEarly({ begunAs, begunAtMs }: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some(
    ({ answered }) =>
      answered?.status === 429 &&
      answered.resetAtMs !== undefined &&
      answered.order < begunAs &&
      begunAtMs < answered.resetAtMs,
  );
}

function repeatsRefused(exchange: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some(
    (earlier) =>
      earlier.answered?.status === 400 && earlier.answered.order < exchange.begunAs && isSame(earlier, exchange),
  );
}

function changesUnderKey(exchanges: readonly Exchange[]): boolean {
  const bodies = new Map<string, string>();
  return exchanges.some(({ idempotencyKey, method, target, body }) => {
    if (idempotencyKey === null) return false;
    const sent = `${method} ${target} ${body}`;
    const known = bodies.get(idempotencyKey);
    bodies.set(idempotencyKey, known ?? sent);
    return known !== undefined && known !== sent;
  });
}

/** Each request that a 401 refused may be sent once more, with another key. */
function goesOnUnauthorized(exchanges: readonly Exchange[]): boolean {
  const first = exchanges
    .flatMap(({ answered }) => (answered?.status === 401 ? [answered.order] : []))
    .reduce((least, order) => Math.min(least, order), Number.POSITIVE_INFINITY);
  const repeatable = exchanges.filter(({ begunAs, answered }) => begunAs < first && answered?.status === 401);
  return exchanges.some((exchange) => {
    if (exchange.begunAs < first) return false;
    const index = repeatable.findIndex((refused) => isSame(refused, exchange));
    if (index >= 0) repeatable.splice(index, 1);
    return index < 0;
  });
}

function isSame(one: Exchange, other: Exchange): boolean {
  return one.method === other.method && one.target === other.target && one.body === other.body;
}
