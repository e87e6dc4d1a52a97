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
function isTooEarly(exchange: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some(
    (earlier) =>
      isKnown(earlier, exchange, 429) &&
      earlier.answered?.resetAtMs !== undefined &&
      exchange.begunAtMs < earlier.answered.resetAtMs,
  );
}

function repeatsRefused(exchange: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some((earlier) => isKnown(earlier, exchange, 400) && isSame(earlier, exchange));
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
  const isLate = (exchange: Exchange): boolean => exchanges.some((earlier) => isKnown(earlier, exchange, 401));
  const repeatable = exchanges.filter((exchange) => exchange.answered?.status === 401 && !isLate(exchange));
  return exchanges.filter(isLate).some((exchange) => {
    const index = repeatable.findIndex((refused) => isSame(refused, exchange));
    if (index >= 0) repeatable.splice(index, 1);
    return index < 0;
  });
}

/** Whether a request was answered with a status, and the caller knew when it sent another. */
function isKnown({ answered }: Exchange, { begunAs, begunAtMs }: Exchange, status: number): boolean {
  return answered?.status === status && answered.order < begunAs && answered.readAtMs <= begunAtMs;
}

function isSame(one: Exchange, other: Exchange): boolean {
  return one.method === other.method && one.target === other.target && one.body === other.body;
}
