import type { Exchange } from "./exchanges.ts";

/** What the service asks its callers not to do, in the order in which it is told. */
const breaches = {
  early: "called before the reset of a 429",
  refused: "sent again what a 400 had refused",
  changed: "sent another body under one Idempotency-Key",
  unauthorized: "went on calling after a 401",
} as const;

/** Tells how a run's requests went against what the service asks of its callers: each breach once. */
export function findBreaches(exchanges: readonly Exchange[]): string[] {
  const answers = exchanges.flatMap(readAnswer).sort((one, other) => one.order - other.order);
  const found = new Set<string>();
  const known = new Known();
  const bodies = new Map<string, string>();
  const late: Exchange[] = [];
  const repeatable = new Map<string, number>();
  let learned = 0;
  // Both come in the order of things, so that each is looked at once.
  for (const exchange of exchanges) {
    for (let next = answers[learned]; next !== undefined && isRead(next, exchange); next = answers[learned]) {
      known.learn(next);
      learned += 1;
    }
    const sent = tellSent(exchange);
    if (exchange.begunAtMs < known.resetAtMs) found.add(breaches.early);
    if (known.refused.has(sent)) found.add(breaches.refused);
    const { idempotencyKey: key, answered } = exchange;
    if (key !== null && (bodies.get(key) ?? sent) !== sent) found.add(breaches.changed);
    if (key !== null && !bodies.has(key)) bodies.set(key, sent);
    if (known.isUnauthorized) late.push(exchange);
    else if (answered?.status === 401) repeatable.set(sent, (repeatable.get(sent) ?? 0) + 1);
  }
  if (goesOn(late, repeatable)) found.add(breaches.unauthorized);
  return Object.values(breaches).filter((breach) => found.has(breach));
}

/** What a caller knows from the answers that it has read. */
class Known {
  /** Latest moment before which a 429 asked for no more calls. Source: spec, "Rate limiting". */
  resetAtMs = -Infinity;
  /** What a 400 has refused. */
  readonly refused = new Set<string>();
  isUnauthorized = false;

  learn({ exchange, status, resetAtMs = -Infinity }: Answer): void {
    if (status === 429) this.resetAtMs = Math.max(this.resetAtMs, resetAtMs);
    if (status === 400) this.refused.add(tellSent(exchange));
    if (status === 401) this.isUnauthorized = true;
  }
}

/** Each request that a 401 refused may be sent once more, with another key. */
function goesOn(late: readonly Exchange[], repeatable: Map<string, number>): boolean {
  return late.some((exchange) => {
    const sent = tellSent(exchange);
    const left = repeatable.get(sent) ?? 0;
    repeatable.set(sent, left - 1);
    return left === 0;
  });
}

type Answer = NonNullable<Exchange["answered"]> & { readonly exchange: Exchange };

function readAnswer(exchange: Exchange): Answer[] {
  return exchange.answered === undefined ? [] : [{ ...exchange.answered, exchange }];
}

/** Whether the caller had read an answer when it sent another request. */
function isRead({ order, readAtMs }: Answer, { begunAs, begunAtMs }: Exchange): boolean {
  return order < begunAs && readAtMs <= begunAtMs;
}

/** What was sent, the same for a request that is sent again. Neither method nor target holds a space. */
function tellSent({ method, target, body }: Exchange): string {
  return `${method} ${target} ${body}`;
}
