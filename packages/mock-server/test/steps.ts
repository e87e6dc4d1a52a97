// Steps that clients and tests take in an account, for property tests.
import * as fc from "fast-check";
import type { AccountHandle, StateRecord } from "../src/index.ts";
import { list, post, remove, somePage, track, update } from "./client.ts";

/** One step in an account. It may return a result, or the promise of one that comes later. */
export type Step = (account: AccountHandle, memory: { snapshot: StateRecord[] }) => unknown;

/** Steps that do something with a generated value. */
export const stepWith = <Value>(values: fc.Arbitrary<Value>, run: (account: AccountHandle, value: Value) => unknown) =>
  values.map((value): Step => {
    return (account) => run(account, value);
  });

const call = fc.record({
  kind: fc.constantFrom("create", "create", "list", "update", "delete", "track"),
  place: fc.constantFrom(0, 1, 9),
  slug: fc.constantFrom("tea", "red-shoes", "tea-2"),
  title: fc.constantFrom("Espresso beans", "Straße 靴 👟 \u2028", '"quoted" \\n'),
  isOnce: fc.boolean(),
});

/** A call of a client. Returns everything that the client receives. */
const callStep = stepWith(call, async ({ clientOptions, pages }, { kind, place, slug, title, isOnce }) => {
  const id = pages[place]?.id ?? "nothing";
  const options = isOnce ? { headers: { "Idempotency-Key": `once-${place}` } } : {};
  const calls = {
    create: () => post(clientOptions, { ...options, body: { ...somePage, slug, title } }),
    list: () => list(clientOptions, "", options),
    update: () => update(clientOptions, id, { slug, title }, options),
    delete: () => remove(clientOptions, id, options),
    track: () => track(clientOptions, id, {}, options),
  };
  const { status, headers, text } = await calls[kind]();
  return [status, [...headers], text];
});

/** Steps that change the state of an account. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: callStep },
  stepWith(fc.nat(90_000), ({ clock }, ms) => clock.advance(ms)),
  stepWith(fc.integer({ min: 1, max: 4 }), (account, limit) => account.setPlan({ limit, windowMs: 60_000 })),
  fc.constantFrom<Step>(
    (account) => account.reset(),
    (account, memory) => void (memory.snapshot = account.snapshot()),
    (account, memory) => account.restore(memory.snapshot),
  ),
);
