// Programs that use the client in every way, and the weathers they run through.
import * as fc from "fast-check";
import type { CallOptions } from "../src/index.ts";
import type { Phase, Weather } from "./bad-week.ts";
import { spellings } from "./bad-week-headers.ts";

interface Begun {
  /** Moment it begins, in milliseconds from the start. */
  readonly atMs: number;
  /** When its signal aborts, in milliseconds from its beginning. */
  readonly abortAfterMs: number | undefined;
  readonly options: Pick<CallOptions, "timeoutMs" | "totalTimeoutMs" | "retry">;
}

/** What a hook does: adds a header, takes its time, answers in place of the service or changes its answer now and then, or throws then. */
export type HookKind = (typeof hookKinds)[number];
const hookKinds = ["adds", "slow", "answers", "reads", "replaces", "throws before", "throws after"] as const;

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
  readonly hasDate: boolean;
  /** Hooks that the program has, in this order. */
  readonly hooks: readonly HookKind[];
  readonly maxInFlight: number;
  readonly phases: readonly Phase[];
  readonly actions: readonly Action[];
  /** When the service takes only the other key, and how much later the program has it. */
  readonly rotateAtMs: number | undefined;
  readonly rotationLagMs: number;
}

const spelling = fc.constantFrom(...spellings);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });

/** Codes as Node's network and undici have them. */
const unreachable = fc.oneof(
  fc.record({
    syscall: fc.constant("connect"),
    code: fc.constantFrom("ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"),
  }),
  fc.record({ syscall: fc.constant("getaddrinfo"), code: fc.constantFrom("ENOTFOUND", "EAI_AGAIN") }),
  fc.record({ code: fc.constantFrom("UND_ERR_CONNECT_TIMEOUT", "CERT_HAS_EXPIRED", "ERR_SSL_WRONG_VERSION_NUMBER") }),
);
const broken = fc.oneof(
  fc.record({ syscall: fc.constantFrom("read", "write"), code: fc.constantFrom("ECONNRESET", "EPIPE", "ETIMEDOUT") }),
  fc.record({
    code: fc.constantFrom(
      "UND_ERR_SOCKET",
      "UND_ERR_HEADERS_TIMEOUT",
      "HPE_INVALID_CONSTANT",
      "ERR_HTTP2_STREAM_ERROR",
    ),
  }),
);
const brokenBody = fc.constantFrom(
  undefined,
  "ECONNRESET",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "Z_BUF_ERROR",
  "Z_DATA_ERROR",
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
    status: fc.constantFrom(408, 499, 500, 502, 503, 504, 520, 524),
    isApplied: fc.boolean(),
    waitMs: maybe(fc.integer({ min: 1, max: 40_000 })),
    spelling,
    isHtml: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("status"),
    status: fc.constantFrom(302, 400, 403, 404, 413, 425),
    isApplied: fc.constant(false),
    spelling,
    isHtml: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("unreachable"), network: unreachable }),
  fc.record({ kind: fc.constantFrom("reset before", "reset after"), network: broken }),
  fc.record({
    kind: fc.constantFrom("hung", "deaf", "late", "portal", "agreeable", "empty", "locked", "echo", "trickle"),
  }),
  fc.record({
    kind: fc.constantFrom("cut", "ended", "stalled"),
    status: fc.constantFrom(200, 400, 401, 500),
    within: fc.constantFrom("nothing", "body", "key"),
    code: brokenBody,
  }),
);
const phases: fc.Arbitrary<Phase[]> = fc.array(
  fc.record({
    forMs: fc.integer({ min: 100, max: 60_000 }),
    weathers: fc.array(weather, { minLength: 1, maxLength: 3 }),
    latencyMs: fc.constantFrom(0, 50, 3_000, 20_000),
    isRestart: fc.boolean(),
  }),
  { maxLength: 8 },
);

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
  hasDate: fc.boolean(),
  hooks: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.uniqueArray(fc.constantFrom(...hookKinds), { maxLength: 3 }),
  ),
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
