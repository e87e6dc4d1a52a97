import { nearest } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assertReceived, assertSurvives, type Survival, useMockService } from "../src/assert.ts";
import { checkService, type CheckOptions, type CheckReport, renderReport, type RenderOptions } from "../src/check.ts";
import {
  type AccountOptions,
  createMockService,
  type Domain,
  type FaultRule,
  type MockServiceOptions,
  parseCatalogue,
  type PlacedPages,
  type RateWindow,
  type RequestFilter,
  type RequestMatch,
  type WaitOptions,
} from "../src/index.ts";
import { mswHandlers, type MswOptions } from "../src/msw.ts";
import { listen, type ListenOptions, type ListenTimeouts } from "../src/node.ts";
import "../src/vitest.ts";
import { sweep, type SweepOptions, type SweepReport } from "../src/sweep.ts";

/** Every member by its name: a record that the compiler keeps whole. */
type Names<Options> = Record<keyof Options, true>;

const service = createMockService();
const mock = service.account("test_names");
const report = { findings: [] } as unknown as SweepReport; // why: it is not looked at

const match: Names<RequestMatch> = {
  endpoint: true,
  method: true,
  path: true,
  pageId: true,
  query: true,
  headers: true,
  body: true,
  status: true,
  times: true,
};
const filter: Names<RequestFilter> = { ...match, key: true };
const wait: Names<WaitOptions> = { timeoutMs: true, signal: true };
const rule: Names<FaultRule> = {
  endpoint: true,
  method: true,
  path: true,
  pageId: true,
  query: true,
  request: true,
  key: true,
  times: true,
  skip: true,
  probability: true,
  optional: true,
  status: true,
  headers: true,
  body: true,
  delayMs: true,
  wire: true,
  when: true,
};
const serviceOptions: Names<MockServiceOptions> = {
  accounts: true,
  plan: true,
  domains: true,
  maxSandboxes: true,
  onSandboxEvicted: true,
  seed: true,
  dialect: true,
  latencyMs: true,
  now: true,
  random: true,
  sleep: true,
};
const plan: Names<RateWindow> = { limit: true, windowMs: true };
const account: Names<AccountOptions> = { id: true, keys: true, plan: true };
const listenOptions: Names<ListenOptions> = {
  port: true,
  host: true,
  control: true,
  inspector: true,
  allowedHosts: true,
  timeouts: true,
  onAnswer: true,
};
const timeouts: Names<ListenTimeouts> = {
  headersMs: true,
  requestMs: true,
  progressMs: true,
  keepAliveMs: true,
  closeGraceMs: true,
};
const domain: Names<Domain> = {
  name: true,
  topics: true,
  keywords: true,
  locale: true,
  capacity: true,
  active: true,
  catchAll: true,
  blockedCtaHosts: true,
  pins: true,
};
const placed: Names<PlacedPages> = { slug: true, words: true };
const checkOptions: Names<CheckOptions> = {
  baseUrl: true,
  apiKey: true,
  otherApiKey: true,
  yes: true,
  thorough: true,
  compare: true,
  signal: true,
  onProgress: true,
  maxWaitMs: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  runId: true,
  fetch: true,
  now: true,
  sleep: true,
};
const render: Names<RenderOptions> = { colour: true, width: true };
const sweepOptions: Names<SweepOptions> = {
  mockOptions: true,
  dialects: true,
  pairs: true,
  seed: true,
  maxRuns: true,
  concurrency: true,
  maxVirtualMs: true,
  onProgress: true,
};
const survival: Names<Survival> = { twice: true, silent: true, hangs: true, unhandled: true, etiquette: true };
const valid = { name: "tea.example", topics: ["tea"], keywords: [] };

/** Every door and level at which a person names something, with the names that there are. */
const doors: [string, Readonly<Record<string, true>>, (given: never) => unknown][] = [
  ["createMockService", serviceOptions, createMockService],
  ["a plan", plan, (given) => createMockService({ plan: given })],
  ["an account", account, (given) => createMockService({ accounts: [given] })],
  ["its plan", plan, (given) => createMockService({ accounts: [{ id: "a", keys: ["k"], plan: given }] })],
  ["a domain", domain, (given) => parseCatalogue([{ ...valid, ...(given as object) }])],
  ["domains of a service", domain, (given) => createMockService({ domains: [{ ...valid, ...(given as object) }] })],
  ["setDomains", domain, (given) => service.setDomains([{ ...valid, ...(given as object) }])],
  ["a pin", placed, (given) => parseCatalogue([{ ...valid, pins: [given] }])],
  ["a dialect", { switches: true, answers: true, summary: true }, (given) => createMockService({ dialect: given })],
  ["setDialect", { switches: true, answers: true, summary: true }, (given) => service.setDialect(given)],
  ["service.requests", filter, (given) => service.requests(given)],
  ["service.onRequest", filter, (given) => service.onRequest(() => {}, given)],
  ["service.waitForRequest", filter, (given) => service.waitForRequest(given)],
  ["waitForRequest's options", wait, (given) => service.waitForRequest({}, given)],
  ["service.faults.add", rule, (given) => service.faults.add(given)],
  ["a fault's request", { headers: true, body: true }, (given) => service.faults.add({ status: 500, request: given })],
  ["mock.requests", match, (given) => mock.requests(given)],
  ["mock.waitForRequest", match, (given) => mock.waitForRequest(given)],
  ["mock.faults.add", rule, (given) => mock.faults.add(given)],
  ["mock.setPlan", plan, (given) => mock.setPlan(given)],
  ["mock.domains.place", placed, (given) => mock.domains.place(given, ["tea.example"])],
  ["assertReceived", match, (given) => assertReceived(mock, given)],
  ["assertSurvives", survival, (given) => assertSurvives(report, given)],
  ["toHaveReceived", match, (given) => expect(mock).toHaveReceived(given)],
  ["not.toHaveReceived", match, (given) => expect(mock).not.toHaveReceived(given)],
  ["toSurvive", survival, (given) => expect(report).toSurvive(given)],
  ["useMockService", { ...serviceOptions, safetyNet: true }, (given) => useMockService(given, hooks)],
  [
    "a safety net",
    { unusedFaults: true, unhandledRequests: true, environment: true },
    (given) => useMockService({ safetyNet: given }, hooks),
  ],
  ["mswHandlers", { baseUrl: true } satisfies Names<MswOptions>, (given) => mswHandlers(service, given)],
  ["listen", listenOptions, (given) => listen(service, given)],
  ["listen's timeouts", timeouts, (given) => listen(service, { timeouts: given })],
  ["listen's control", { token: true }, (given) => listen(service, { control: given })],
  ["sweep", sweepOptions, (given) => sweep(() => {}, given)],
  ["a sweep's mockOptions", serviceOptions, (given) => sweep(() => {}, { mockOptions: given })],
  ["checkService", checkOptions, checkService],
  ["renderReport", render, (given) => renderReport({} as CheckReport, given)], // why: it is not looked at
];

const hooks = { beforeEach: (hook: () => unknown) => hook(), afterEach: () => {} };

/** One slip of the pen: a letter left out, doubled, replaced, or swapped with the next. */
const slip = (name: string) =>
  fc
    .tuple(
      fc.nat(name.length - 1),
      fc.constantFrom("drop", "double", "replace", "swap"),
      fc.constantFrom("q", "x", "z"),
    )
    .map(([at, kind, letter]) => {
      const [before, here, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
      if (kind === "drop") return before + after;
      if (kind === "double") return before + here + here + after;
      return kind === "replace" ? before + letter + after : before + after.slice(0, 1) + here + after.slice(1);
    });

test.each(doors)("a misspelt name is refused by %s with the name that was meant", async (_door, known, enter) => {
  const names = Object.keys(known);
  const misspelt = fc
    .constantFrom(...names)
    .chain(slip)
    .filter((name) => name !== "" && !names.includes(name) && nearest(name, names) !== undefined);

  await fc.assert(
    fc.asyncProperty(misspelt, async (name) => {
      // why: options come from JavaScript too, where no compiler looks at them
      const refused: unknown = await Promise.resolve()
        .then(() => enter({ [name]: undefined } as never))
        .catch((error: unknown) => error);

      expect(String(refused)).toContain(JSON.stringify(name));
      expect(String(refused)).toContain(`did you mean "${nearest(name, names)}"?`);
    }),
    { numRuns: 20 },
  );
});
