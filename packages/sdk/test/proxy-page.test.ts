import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, type LandingPages, ResponseValidationError } from "../src/index.ts";
import { failureOf, scripted, somePage, status } from "./setup.ts";

type Client = Pick<LandingPages, "pages" | "analytics">;

/** Every call, and whether it changes something. */
const calls: Record<string, { send: (client: Client) => PromiseLike<unknown>; writes: boolean }> = {
  list: { send: ({ pages }) => pages.list(), writes: false },
  create: { send: ({ pages }) => pages.create(somePage), writes: true },
  update: { send: ({ pages }) => pages.update("pg_1", { title: "New" }), writes: true },
  delete: { send: ({ pages }) => pages.delete("pg_1"), writes: true },
  track: { send: ({ analytics }) => analytics.track({ pageId: "pg_1" }), writes: true },
};
const thin: (keyof typeof calls)[] = ["delete", "track"];

const blanks = fc.constantFrom(
  "",
  "\n",
  "  \r\n\t",
  "\uFEFF",
  "<!-- from the gateway -->\n",
  "\uFEFF<!-- a --> <!-- b -->",
);
/** Documents that need no type to be known. */
const documents = fc
  .tuple(
    blanks,
    fc.constantFrom(
      "<!doctype html>",
      "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>",
      "<html>",
      "<HTML lang=en>",
      "<head>",
    ),
    fc.string({ maxLength: 200 }),
  )
  .map((parts) => parts.join(""));
/** Markup that is a document because it says so. */
const typed = fc
  .tuple(
    fc.constantFrom("", "\n ", "\uFEFF"),
    fc.constantFrom(
      '<?xml version="1.0"?><!DOCTYPE html>',
      "<center>Sign in</center>",
      "<form action=/login>",
      "<!-- a -->",
      "<a href=/login>",
    ),
    fc.string({ maxLength: 200 }),
  )
  .map((parts) => parts.join(""));
const htmlTypes = fc.constantFrom(
  "text/html",
  "text/html; charset=utf-8",
  "TEXT/HTML;charset=iso-8859-1",
  "application/xhtml+xml",
);
const anyTypes = fc.oneof(htmlTypes, fc.constantFrom("application/json", "text/plain", "", "application/octet-stream"));
const pageOfSomebody = fc.oneof(
  fc.record({ text: documents, type: anyTypes }),
  fc.record({ text: typed, type: htmlTypes }),
);
const successes = fc.constantFrom(200, 201, 202, 203, 206, 226);

function answer(text: string, type: string, code: number): Response {
  return new Response(text, { status: code, headers: type === "" ? {} : { "Content-Type": type } });
}

describe.each(Object.entries(calls))("%s", (_name, { send, writes }) => {
  test("does not take the page of a proxy for a success, and tells what came", () =>
    fc.assert(
      fc.asyncProperty(pageOfSomebody, successes, async ({ text, type }, code) => {
        const { client, requests } = scripted([answer(text, type, code)]);

        const error = await failureOf(send(client));

        expect(error).toBeInstanceOf(ResponseValidationError);
        expect(error).toMatchObject({ status: code, mayHaveBeenApplied: writes });
        expect((error as Error).message).toContain("an HTML document");
        // A status that is none to try again after is not tried again, whoever sent it.
        expect(requests).toHaveLength(1);
      }),
      { numRuns: 60, seed: 13 },
    ));
});

test.each(thin)("%s is done with any other success, whatever it says", (name) =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.constantFrom(
          "",
          "OK",
          "deleted",
          "null",
          "true",
          '{"ok":true}',
          "{broken",
          "1 < 2",
          '"<html>"',
          '{"html":"<html>"}',
        ),
        fc.json(),
        fc.string({ maxLength: 100 }).filter((text) => !/[<\uFEFF]/.test(text)),
      ),
      anyTypes,
      successes,
      async (text, type, code) => {
        const { client } = scripted([answer(text, type, code)]);
        await expect(calls[name]?.send(client)).resolves.toBeUndefined();
      },
    ),
    { numRuns: 150, seed: 13 },
  ),
);

test.each(thin)("%s is done with a 204, also one that names a type", async (name) => {
  const { client } = scripted([status(204, { "Content-Type": "text/html" })]);

  await expect(calls[name]?.send(client)).resolves.toBeUndefined();
});

test("a repeated delete that finds nothing has succeeded, also where the 404 is an HTML page", async () => {
  const { client } = scripted([status(502), answer("<!doctype html><pre>Cannot DELETE</pre>", "text/html", 404)]);

  await expect(client.pages.delete("pg_1")).resolves.toBeUndefined();
});

test("an HTML document beside a refusal leaves the class of the error to the status", async () => {
  const { client } = scripted([answer("<!doctype html><h1>Forbidden</h1>", "text/html", 403)]);

  expect(await failureOf(client.pages.delete("pg_1"))).toMatchObject({ name: "ApiError", status: 403 });
  expect(ApiError.is(await failureOf(client.analytics.track({ pageId: "pg_1" })))).toBe(true);
});

test("an error says of an HTML document that a web page came, unless a web server before the service sends them", async () => {
  const told: number[] = [];
  const statuses = [400, 401, 403, 404, 405, 407, 410, 413, 422, 429, 451, 500, 502, 503, 511];
  for (const code of statuses) {
    const { client } = scripted([answer("<!doctype html><h1>Please sign in</h1>", "text/html", code)], {
      retry: false,
    });
    if (
      /a web page came: is https:\/\/service\.example the service\?/.test(String(await failureOf(client.pages.list())))
    )
      told.push(code);
  }

  expect(told).toEqual([401, 403, 404, 405, 407, 410, 422, 451, 511]);
});

test("a 304 is described as what it is, and is not a redirect", async () => {
  const { client } = scripted([status(304)]);

  expect(String(await failureOf(client.pages.list()))).toBe(
    "ApiError: List pages failed: 304 Not Modified, although the request has no condition; is there a cache on the way?",
  );
});

test("a sign-in page that never ends is recognised by what was received of it", async () => {
  const text = new TextEncoder().encode("<!doctype html><title>Sign in</title>");
  const endless = () =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(text) }), { status: 200 });
  const { client } = scripted([endless], { timeoutMs: 5 });

  expect(await failureOf(client.pages.delete("pg_1"))).toBeInstanceOf(ResponseValidationError);
});

test("the queue fails an event that a proxy answered, as it may have arrived, and keeps the others", async () => {
  const { client, requests } = scripted([answer("<html>Sign in</html>", "text/html", 200), status(204)]);
  const lost: unknown[] = [];
  const queue = client.analytics.queue({ concurrency: 1, onLost: (_event, { error }) => void lost.push(error) });
  for (let each = 0; each < 5; each += 1) queue.push({ pageId: `pg_${each}` });

  await queue.flush();

  expect(queue.counts).toMatchObject({ delivered: 4, failed: 1 });
  expect(lost).toEqual([expect.any(ResponseValidationError)]);
  expect(requests).toHaveLength(5);
});
