// Services in a dialect, for checks to learn from.
import type { DialectFile } from "@landing-page-service/contract/dialect";
import { type CheckOptions, checkService } from "../src/check.ts";
import { createMockService, type MockService } from "../src/index.ts";

/** Answers something else than the service does. */
export type Change = (request: Request, response: Response) => Response | Promise<Response>;

const keep: Change = (_request, response) => response;

/** Checks a service in a dialect; its 12th list and its 3rd event are refused, so that every documented error is seen. */
export async function learn(dialect: DialectFile, options: Partial<CheckOptions> = {}, change: Change = keep) {
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

/** The same clock and randomness for every service, so that only the dialects differ. */
export function serve(dialect: DialectFile): MockService {
  let nowMs = Date.parse("2026-03-01T12:00:00Z");
  let seed = 1;
  return createMockService({
    dialect,
    now: () => (nowMs += 1),
    random: () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647,
  });
}
