import type { EndpointName } from "@landing-page-service/contract";
import type { FaultRule } from "../testing/faults.ts";

const proxyPage = "<!doctype html><title>Sign in</title><h1>Sign in to continue</h1>";

/** What can happen to a request: each as the part of a fault's rule that says so. */
const failures = {
  "refused: 429": { status: 429, headers: { "Retry-After": "2" }, times: 1 },
  "refused: 500": { status: 500, times: 1 },
  "refused: 503": { status: 503, times: 1 },
  "refused: 400": { status: 400, times: 1 },
  "refused: 401 from here on": { status: 401 },
  "lost: 500 once it was done": { status: 500, when: "after", times: 1 },
  "lost: reset once it was done": { wire: "reset", when: "after", times: 1 },
  "lost: response cut in half": { wire: "truncate", times: 1 },
  "lost: response that never comes": { wire: "stall", when: "after", times: 1 },
  "unsent: connection refused": { wire: "refuse", times: 1 },
  "unsent: reset before anything was done": { wire: "reset", times: 1 },
  "wrong: page of a proxy": { status: 200, headers: { "Content-Type": "text/html" }, body: proxyPage, times: 1 },
  "wrong: empty 200 once it was done": { status: 200, body: "", when: "after", times: 1 },
  "slow: 5 s": { delayMs: 5_000, when: "after", times: 1 },
  "slow: 60 s": { delayMs: 60_000, when: "after", times: 1 },
} as const satisfies Record<string, FaultRule>;

/** Name of something that can happen to a request. */
export type FailureName = keyof typeof failures;

/** Names of all that can happen to a request. */
export const failureNames = Object.keys(failures) as FailureName[]; // why: keys of an object literal are its own

/** A call that the flow made in its undisturbed run. */
export interface SweptCall {
  /** Its place among all calls, from 0. */
  readonly index: number;
  /** Endpoint that it reached. */
  readonly endpoint: EndpointName;
  /** How many calls of the same endpoint came before it. */
  readonly skip: number;
}

/** The rule that makes something happen to one call. */
export function writeRule({ index, endpoint, skip }: SweptCall, name: FailureName): FaultRule {
  // A key that is revoked is revoked for every endpoint.
  const match = name === "refused: 401 from here on" ? { skip: index } : { endpoint, skip };
  return { ...match, ...failures[name] };
}
