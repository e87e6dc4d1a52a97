// Services in a dialect, for checks to learn from.
import { switchIds } from "@landing-page-service/contract";
import {
  type AnswerTemplates,
  type Dialect,
  type DialectFile,
  type Json,
  resolveDialect,
  shapeSwitches,
} from "@landing-page-service/contract/dialect";
import { expect } from "vitest";
import { type CheckOptions, type CheckReport, checkService } from "../src/check.ts";
import { createMockService, type DialectChoice, type MockService } from "../src/index.ts";

/** Whether PROPERTY_RUNS is set. Tests then try all cases of a table, not only some. */
export const isThorough = process.env["PROPERTY_RUNS"] !== undefined;

/** The number of runs of a slow property: PROPERTY_RUNS, or else `usual`. */
export function runs(usual: number): number {
  return Number(process.env["PROPERTY_RUNS"] ?? usual);
}

/** Replaces a response of the service. */
export type Change = (request: Request, response: Response) => Response | Promise<Response>;

/** A JSON object in a response. */
export type Body = { [name: string]: Json };

/** Changes every response body that is a JSON object. */
function changeBodies(change: (body: Body) => Json): Change {
  return async (_request, response) => {
    const text = await response.text();
    if (!text.startsWith("{")) return new Response(text === "" ? null : text, response);
    return new Response(JSON.stringify(change(JSON.parse(text) as Body)), response); // why: an object, by its brace
  };
}

const keep: Change = (_request, response) => response;

/** Checks a service in a dialect. Two lists fail, one with 429 and one with 500, so the check observes every documented error. */
export async function learn(dialect: DialectChoice, options: Partial<CheckOptions> = {}, change: Change = keep) {
  const service = serve(dialect);
  service.faults.add({ endpoint: "listPages", status: 429, skip: 4, times: 1, headers: { "Retry-After": "1" } });
  service.faults.add({ endpoint: "listPages", status: 500, skip: 7, times: 1 });
  return checkService({
    baseUrl: service.baseUrl,
    apiKey: "test_check",
    fetch: async (request) => change(request, await service.fetch(request.clone())),
    now: () => service.clock.now(),
    sleep: () => Promise.resolve(),
    runId: "abcdef12",
    ...options,
  });
}

/** Checks a service whose bodies are changed. Also returns the places that have drifted from a dialect. */
export async function learnChanged(dialect: DialectChoice, change: (body: Body) => Json, compare?: DialectFile) {
  const report = await learn(dialect, compare === undefined ? {} : { compare }, changeBodies(change));
  return { ...report, places: (report.drift ?? []).map(({ place }) => place) };
}

/** Handles a request, as `fetch` does. */
export type Send = (request: Request) => Promise<Response>;

/** Checks a service in process. `tamper` may change requests and responses. */
export function check(service: MockService, options: Partial<CheckOptions> = {}, tamper?: (send: Send) => Send) {
  const send: Send = (request) => service.fetch(request);
  return checkService({ baseUrl: service.baseUrl, apiKey: "test_check", fetch: tamper?.(send) ?? send, ...options });
}

/** Replaces one status of responses by another. */
export function replaceStatus(from: number, to: number): (send: Send) => Send {
  return (send) => async (request) => {
    const response = await send(request);
    return response.status === from
      ? new Response(await response.text(), { status: to, headers: response.headers })
      : response;
  };
}

/** Creates a service in a dialect. Clock and random numbers are the same for every service, so only the dialects differ. */
export function serve(dialect: DialectChoice): MockService {
  let nowMs = Date.parse("2026-03-01T12:00:00Z");
  let seed = 1;
  return createMockService({
    dialect,
    now: () => (nowMs += 1),
    random: () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647,
  });
}

/** Expects that a check learned all templates of a service, and its behaviour as far as responses show it. */
export function expectLearned({ dialect }: CheckReport, served: Dialect): void {
  const learned = resolveDialect(dialect);
  // Not every response shows whether the service clamps a limit or merges a cta.
  const isHidden: Record<string, boolean> = {
    "list-max": learned.switches["list-max"] === "unbounded" && served.switches["list-max"] === "clamped",
    "cta-update": dialect.switches?.["cta-update"] === undefined,
  };
  for (const id of switchIds)
    if (!shapeSwitches.includes(id) && !isHidden[id])
      expect([id, learned.switches[id]]).toEqual([id, served.switches[id]]);
  expect(expand(learned.answers)).toEqual(expand(served.answers));
}

/** Inserts the templates of pages where other templates refer to them. */
function expand({ page, listedPage, ...answers }: AnswerTemplates): unknown {
  const text = JSON.stringify(answers).replaceAll('"{listedPage}"', JSON.stringify(listedPage));
  return JSON.parse(text.replaceAll('"{page}"', JSON.stringify(page)));
}
