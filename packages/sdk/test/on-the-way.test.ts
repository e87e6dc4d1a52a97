// What stands on the way to the service, or in place of `fetch`, and says so in its own manner.
import { expect, test } from "vitest";
import { failureOf, json, scripted, somePage, status, untilIdle } from "./setup.ts";

test.each([
  [303, true],
  [302, true],
  [307, false],
  [308, false],
  [407, false],
  [408, true],
  [425, false],
  [499, true],
  [511, false],
])("a create answered with %i may have been carried out: %s", async (code, mayHaveBeenApplied) => {
  const { client, requests } = scripted([status(code, { Location: "https://other.example/" })]);

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({
    name: expect.stringMatching(/^(?:Api|Server)Error$/),
    status: code,
    mayHaveBeenApplied,
  });
  expect(String(error).includes("may have carried it out")).toBe(mayHaveBeenApplied);
  expect(requests).toHaveLength(1);
});

test.each([307, 308, 407, 425, 511])(
  "the queue keeps an event that met a %i, and sends it once that is over",
  async (code) => {
    const { client, requests, time } = scripted([status(code), status(code), json({}, 202)]);
    const queue = client.analytics.queue();
    queue.push({ pageId: "p1" });

    await queue.flush();

    expect(queue.counts).toMatchObject({ delivered: 1, failed: 0 });
    expect(requests).toHaveLength(3);
    expect(time.slept.length).toBeGreaterThan(0);
  },
);

const thrown = (value: unknown) => async (): Promise<Response> => {
  throw value;
};

test.each<[string, () => Promise<Response>, string]>([
  [
    "gives Response.error()",
    () => Promise.resolve(Response.error()),
    "fetch gave a Response that stands for a network error",
  ],
  ["throws a text", thrown("the tunnel is down, test_sdk"), "the tunnel is down, [API key]"],
  ["throws undefined", thrown(undefined), "undefined was thrown"],
  ["throws null", thrown(null), "null was thrown"],
  ["throws a number", thrown(7), "a number was thrown"],
  ["throws a plain object", thrown({ reason: "none" }), "an object was thrown"],
  ["throws an object with a message", thrown({ message: "no route", code: "EHOSTUNREACH" }), "no route"],
  ["throws an error whose cause is a text", thrown(new Error("failed", { cause: "no route" })), "no route"],
])("a fetch that %s ends in a ConnectionError that says so", async (_title, fetch, said) => {
  const { client } = scripted([fetch]);

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ name: "ConnectionError", mayHaveBeenApplied: true });
  expect(String(error)).toBe(
    `ConnectionError: Create page failed: the connection broke (${said}); the service may have carried it out`,
  );
});

test.each(["ECONNREFUSED", "UND_ERR_PRX_CONN"])(
  "a text that says nothing was connected is read for what it says: %s",
  async (code) => {
    const { client } = scripted([thrown({ message: "refused", code })]);

    expect(await failureOf(client.pages.create(somePage))).toMatchObject({ code, mayHaveBeenApplied: false });
  },
);

test.each([
  [7_200_000, "2 h"],
  [259_200_000, "3 d"],
  [900_000, "15 min"],
  [61_000, "61 s"],
])("an error of a service that is closed for %i ms says when to try again", async (waitMs, said) => {
  const { client, time } = scripted([
    () =>
      new Response("<html>Maintenance</html>", {
        status: 503,
        headers: { "Content-Type": "text/html", "Retry-After": new Date(time.now() + waitMs).toUTCString() },
      }),
  ]);

  for (const call of [client.pages.list(), client.pages.create(somePage)]) {
    const error = await failureOf(call);
    expect(error).toMatchObject({ name: "ServerError", retryAfterMs: waitMs });
    expect(String(error)).toContain(`; come back in ${said}`);
  }
  await untilIdle();
});
