// Programs that use the client in every way, and the weathers they run through.
import * as fc from "fast-check";
import type { CallOptions } from "../src/index.ts";
import type { Phase, Weather } from "./bad-week.ts";

interface Begun {
  /** Moment it begins, in milliseconds from the start. */
  readonly atMs: number;
  /** When its signal aborts, in milliseconds from its beginning. */
  readonly abortAfterMs: number | undefined;
  readonly options: Pick<CallOptions, "timeoutMs" | "totalTimeoutMs" | "retry">;
}

/** Something that a program does with the client. */
export type Action = Begun &
  (
    | { readonly kind: "list" | "create" | "update" | "delete" | "track" }
    | {
        readonly kind: "createMany";
        readonly count: number;
        readonly concurrency: number;
        readonly breakAfter: number | undefined;
      }
    | { readonly kind: "iterate"; readonly breakAfter: number | undefined }
    | {
        readonly kind: "queue";
        readonly pushes: readonly { readonly count: number; readonly thenMs: number }[];
        readonly capacity: number;
        readonly concurrency: number;
        readonly ending: "close" | "drain" | "abort";
        readonly endMs: number;
      }
  );

/** A program, and the week it runs in. */
export interface Program {
  readonly seed: number;
  readonly skewMs: number;
  readonly maxInFlight: number;
  readonly phases: readonly Phase[];
  readonly actions: readonly Action[];
  /** When the service takes only the other key, and how much later the program has it. */
  readonly rotateAtMs: number | undefined;
  readonly rotationLagMs: number;
}

const spelling = fc.constantFrom(
  "seconds",
  "decimal",
  "date",
  "reset in seconds",
  "reset at seconds",
  "reset at milliseconds",
  "none",
);
const weather: fc.Arbitrary<Weather> = fc.oneof(
  fc.record({ kind: fc.constantFrom("fine", "forgetful", "unlimited") }),
  fc.record({
    kind: fc.constant("limited"),
    limit: fc.integer({ min: 1, max: 20 }),
    windowMs: fc.integer({ min: 500, max: 30_000 }),
    spelling,
  }),
  fc.record({
    kind: fc.constant("refusing"),
    waitMs: fc.oneof(fc.integer({ min: 1, max: 30_000 }), fc.integer({ min: 30_000, max: 200_000 })),
    spelling,
  }),
  fc.record({
    kind: fc.constant("status"),
    status: fc.constantFrom(500, 502, 503, 504),
    isApplied: fc.boolean(),
    waitMs: fc.option(fc.integer({ min: 1, max: 40_000 }), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("status"),
    status: fc.constantFrom(302, 400, 403, 404, 413),
    isApplied: fc.constant(false),
  }),
  fc.record({
    kind: fc.constantFrom("unreachable", "reset before", "reset after", "hung", "deaf", "portal", "locked", "echo"),
  }),
  fc.record({
    kind: fc.constantFrom("cut", "stalled"),
    status: fc.constantFrom(200, 400, 401, 500),
    within: fc.constantFrom("body", "key"),
  }),
);
const phases: fc.Arbitrary<Phase[]> = fc.array(
  fc.record({
    forMs: fc.integer({ min: 100, max: 60_000 }),
    weather,
    latencyMs: fc.constantFrom(0, 50, 3_000, 20_000),
  }),
  { maxLength: 8 },
);

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const begun = {
  atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 120_000 })),
  abortAfterMs: maybe(fc.integer({ min: 0, max: 60_000 })),
  options: fc.record(
    {
      timeoutMs: fc.integer({ min: 1, max: 20_000 }),
      totalTimeoutMs: fc.integer({ min: 1, max: 300_000 }),
      retry: fc.oneof(
        fc.constant(false as const),
        fc.record({ writes: fc.constantFrom("documented", "safe", "always") }),
      ),
    },
    { requiredKeys: [] },
  ),
};
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ...begun, kind: fc.constantFrom("list", "create", "update", "delete", "track") }),
  },
  fc.record({
    ...begun,
    kind: fc.constant("createMany"),
    count: fc.integer({ min: 0, max: 40 }),
    concurrency: fc.integer({ min: 1, max: 10 }),
    breakAfter: maybe(fc.integer({ min: 1, max: 20 })),
  }),
  fc.record({ ...begun, kind: fc.constant("iterate"), breakAfter: maybe(fc.integer({ min: 1, max: 45 })) }),
  fc
    .record({
      ...begun,
      kind: fc.constant("queue"),
      pushes: fc.array(
        fc.record({ count: fc.integer({ min: 1, max: 20 }), thenMs: fc.integer({ min: 0, max: 60_000 }) }),
        { minLength: 1, maxLength: 4 },
      ),
      capacity: fc.integer({ min: 1, max: 40 }),
      concurrency: fc.integer({ min: 1, max: 6 }),
      ending: fc.constantFrom("close", "drain", "abort"),
      endMs: fc.integer({ min: 0, max: 60_000 }),
    })
    // One that nobody closes must be aborted, or an outage may outlast the test.
    .map((queue) =>
      queue.ending === "abort" ? Object.assign(queue, { abortAfterMs: queue.abortAfterMs ?? queue.endMs }) : queue,
    ),
);

/** Programs of up to a dozen actions, some of them bursts. */
export const programs: fc.Arbitrary<Program> = fc.record({
  seed: fc.nat(1_000_000),
  skewMs: fc.oneof(fc.constant(0), fc.integer({ min: -7_200_000, max: 7_200_000 })),
  maxInFlight: fc.constantFrom(1, 4, 64),
  phases,
  actions: fc
    .array(fc.tuple(action, fc.constantFrom(1, 1, 1, 12)), { minLength: 1, maxLength: 10 })
    .map((bursts) =>
      bursts.flatMap<Action>(([each, times]) =>
        each.kind === "queue" ? [each] : Array.from({ length: times }, () => each),
      ),
    ),
  rotateAtMs: maybe(fc.integer({ min: 0, max: 120_000 })),
  rotationLagMs: fc.integer({ min: 0, max: 30_000 }),
});
