// A success whose body breaks on its way: one rule for all calls. The status says what happened; only who needs the body for more fails.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LandingPages } from "../src/index.ts";
import { failureOf, scripted, somePage } from "./setup.ts";

const changes = { title: "New", slug: "new-shoes" };
const whole = JSON.stringify({ data: { ...somePage, ...changes, id: "pg_1", domains: [{ name: "shoes.example" }] } });

/** How a body comes: its bytes in pieces, and what ends them, `cleanly` or with a code. */
interface Body {
  bytes: Uint8Array;
  pieces: number;
  end: string;
  type: string;
}
const bodies: fc.Arbitrary<Body> = fc.record({
  bytes: fc.oneof(
    fc.nat(whole.length - 1).map((end) => new TextEncoder().encode(whole.slice(0, end))),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes, (byte) => byte | 0x80)),
  ),
  pieces: fc.integer({ min: 1, max: 4 }),
  end: fc.constantFrom(
    "cleanly",
    "Z_DATA_ERROR",
    "Z_BUF_ERROR",
    "ERR__ERROR_FORMAT_PADDING_1",
    "ECONNRESET",
    "UND_ERR_SOCKET",
  ),
  type: fc.constantFrom(
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "application/octet-stream",
  ),
});

function broken({ bytes, pieces, end, type }: Body, status: number) {
  const size = Math.ceil(bytes.length / pieces) || 1;
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += size)));
    else if (end === "cleanly") controller.close();
    else
      controller.error(
        new TypeError("terminated", { cause: Object.assign(new Error(`it ended: ${end}`), { code: end }) }),
      );
  };
  return new Response(new ReadableStream({ pull }), { status, headers: { "Content-Type": type } });
}

/** An answer of which nothing more comes. */
function stalled(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) }));
}

test.for<[string, (client: LandingPages<false>) => Promise<unknown>, unknown]>([
  ["update", (client) => client.pages.update("pg_1", changes), { id: "pg_1", domains: [], ...changes }],
  ["delete", (client) => client.pages.delete("pg_1"), undefined],
  ["track", (client) => client.analytics.track({ pageId: "pg_1" }), undefined],
])("%s succeeds at once, however the body of the response breaks", async ([, call, known]) => {
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(200, 201, 202), async (body, status) => {
      const { client, requests } = scripted([() => broken(body, status)], { retry: { writes: "always" } });

      expect(await call(client)).toEqual(known);
      expect(requests).toHaveLength(1);
    }),
  );
});

test("a create, which cannot do without, is not sent again, and says that it may have been applied", async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { client, requests } = scripted([() => broken(body, 201)]);

      expect(await failureOf(client.pages.create(somePage))).toMatchObject({ mayHaveBeenApplied: true });
      expect(requests).toHaveLength(1);
    }),
  );
});

test("a strict client rejects an update whose response broke off", async () => {
  const cut = {
    bytes: new TextEncoder().encode(whole.slice(0, 40)),
    pieces: 2,
    end: "Z_DATA_ERROR",
    type: "application/json",
  };
  const { client } = scripted([() => broken(cut, 200)], { strict: true });

  expect(await failureOf(client.pages.update("pg_1", changes))).toMatchObject({
    name: "ConnectionError",
    mayHaveBeenApplied: true,
    attempts: Array.from({ length: 3 }, () => ({ failure: "Z_DATA_ERROR" })),
  });
});

test("an update whose response is larger than maxAnswerBytes, or stalls, succeeds, and a mismatch event says that the rest is missing", async () => {
  for (const answer of [() => new Response(whole), stalled]) {
    const { client, events } = scripted([answer], { maxAnswerBytes: 50, timeoutMs: 30 });

    expect(await client.pages.update("pg_1", changes)).toEqual({ id: "pg_1", domains: [], ...changes });
    const told = events.filter(({ type }) => type === "mismatch");
    expect(told).toMatchObject([{ where: "body", expected: "all of a body", found: "part of it" }]);
  }
});
