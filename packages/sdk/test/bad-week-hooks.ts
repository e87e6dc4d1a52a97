// Hooks as people write them, good and bad.
import type { RequestHooks } from "../src/index.ts";
import type { HookKind } from "./bad-week-programs.ts";
import { sleep } from "./bad-week-time.ts";

/** How long the slow one takes, in milliseconds. */
export const slowHookMs = 2_000;

/** Makes hooks of the given kinds; those that interfere do so every fifth time. */
export function createHooks(kinds: readonly HookKind[]): RequestHooks | undefined {
  if (kinds.length === 0) return undefined;
  let count = 0;
  const isFifth = () => (count += 1) % 5 === 0;
  const beforeRequest: Record<string, NonNullable<RequestHooks["beforeRequest"]>[number]> = {
    adds: ({ request }) => request.headers.set("X-Request-Number", String((count += 1))),
    slow: () => sleep(slowHookMs, undefined),
    answers: () => (isFifth() ? new Response("no room", { status: 503 }) : undefined),
    "throws before": () => {
      if (isFifth()) throw new Error("no span");
    },
  };
  const afterResponse: Record<string, NonNullable<RequestHooks["afterResponse"]>[number]> = {
    reads: async ({ response }) => void (await response.text().catch(() => "")),
    replaces: ({ response: { status, headers, body } }) => new Response(body, { status, headers }),
    "throws after": () => {
      if (isFifth()) throw new Error("no span");
    },
  };
  const pick = <Hook>(hooks: Record<string, Hook>) => kinds.flatMap((kind) => hooks[kind] ?? []);
  return { beforeRequest: pick(beforeRequest), afterResponse: pick(afterResponse) };
}
