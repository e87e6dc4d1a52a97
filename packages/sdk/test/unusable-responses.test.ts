// Successes whose body is incomplete, an HTML page, or malicious.
import { describe, expect, test, vi } from "vitest";
import { type LandingPages, ResponseValidationError } from "../src/index.ts";
import { failureOf, html, scripted, somePage, status } from "./setup.ts";

type Send = (client: LandingPages) => Promise<unknown>;

const changes = { title: "New", slug: "new-shoes" };
const thin: Record<string, Send> = {
  delete: ({ pages }) => pages.delete("pg_1"),
  track: ({ analytics }) => analytics.track({ pageId: "pg_1" }),
};
const writes: Record<string, Send> = {
  create: ({ pages }) => pages.create(somePage),
  update: ({ pages }) => pages.update("pg_1", changes),
  ...thin,
};
const page = { ...somePage, ...changes, id: "pg_1", domains: [{ name: "shoes.example" }] };
const whole = JSON.stringify({ data: page });

/** A response whose body begins with a string and never ends, or ends with an error code. */
const beginning = (text: string, code?: string) => () => {
  const error = new TypeError("terminated", { cause: Object.assign(new Error(code), { code }) });
  return new Response(
    new ReadableStream({
      start: (body) => body.enqueue(new TextEncoder().encode(text)),
      pull: (body) => (code === undefined ? undefined : body.error(error)),
    }),
  );
};
const broken = beginning('{"da', "Z_DATA_ERROR");

describe("a body that is incomplete", () => {
  test.each<[string, () => Response]>([
    ["is empty", () => new Response("")],
    ["ends in the middle", () => new Response('{"id":"pg_1","ti')],
    ["is no text", () => new Response(Uint8Array.of(0xff, 0xfe, 0x80))],
    [
      "is in an unknown charset",
      () => new Response("{", { headers: { "Content-Type": "text/plain; charset=x-none" } }),
    ],
    ["breaks its encoding", broken],
    ["breaks off with its connection", beginning('{"da', "ECONNRESET")],
  ])("because it %s fails a create, which needs the id, and no delete or event", async (_title, respond) => {
    const { client, requests } = scripted([respond]);

    expect(await failureOf(client.pages.create(somePage))).toMatchObject({ mayHaveBeenApplied: true });
    for (const send of Object.values(thin)) expect(await send(client)).toBeUndefined();
    expect(requests).toHaveLength(3);
  });

  test.each<[string, () => Response, object]>([
    ["breaks off", broken, { name: "ConnectionError", code: "Z_DATA_ERROR", attempts: [{}, {}, {}] }],
    ["stalls", beginning("{"), { name: "TimeoutError", attempts: [{}, {}, {}] }],
    ["is larger than maxAnswerBytes", () => new Response(whole), { name: "ResponseValidationError", attempts: [{}] }],
  ])("and %s fails an update, which may have been applied", async (_title, response, error) => {
    const { client } = scripted([response], { maxAnswerBytes: 50, timeoutMs: 30 });

    expect(await failureOf(client.pages.update("pg_1", changes))).toMatchObject({ ...error, mayHaveBeenApplied: true });
  });

  test.each([
    ["breaks off", broken],
    ["ends in the middle of its JSON", () => new Response(whole.slice(0, -5))],
  ])("and %s makes an update try again", async (_title, first) => {
    const { client } = scripted([first, new Response(whole)]);

    await expect(client.pages.update("pg_1", changes)).resolves.toMatchObject(page);
  });

  test("makes a list try again, wherever its JSON was cut, although the connection ended cleanly", async () => {
    const text = JSON.stringify({ data: [{ id: "pg_1", title: 'Té "x"', note: [1.5, null, {}] }], total: 9 }, null, 1);
    for (let end = 1; end < text.length; end += 1) {
      const { client, events } = scripted([new Response(text.slice(0, end)), new Response(text)]);

      const { data, attempts } = await client.pages.list().withResponse();

      expect(data.data).toMatchObject([{ id: "pg_1" }]);
      expect(attempts).toMatchObject([{ status: 200, failure: "CUT_SHORT" }, { status: 200 }]);
      expect(events).toContainEqual(expect.objectContaining({ type: "retry", reason: "CUT_SHORT" }));
    }
  });

  test("is named in the error of a create, which is never sent again, and which says nothing of dialects", async () => {
    const options = { retry: { writes: "always" } } as const;
    const { client, requests } = scripted([new Response('{"id":"pg_1', { status: 201 })], options);

    await expect(client.pages.create(somePage)).rejects.toThrow('got JSON that is cut short: {"id":"pg_1)');
    expect(requests).toHaveLength(1);
  });

  test("ends a list with what came, after three attempts", async () => {
    const body = '{"data":[{"id":"pg_1","title":"Te';
    const { client, requests } = scripted([new Response(body)]);

    const error = await failureOf(client.pages.list());

    expect(error).toMatchObject({ name: "ResponseValidationError", status: 200, body, mayHaveBeenApplied: false });
    expect(requests).toHaveLength(3);
  });
});

test.each<[string | Uint8Array, string]>([
  ['{"data":[]} and a notice', ""],
  ["{'data':[]}", ""],
  ["an apology {", ""],
  ["", "got an empty body"],
  ['{"msg":"The token is too old."}', "got an object with msg, which says: The token is too old.)"],
  [
    JSON.stringify({ pages: { p1: { ...somePage }, p2: { ...somePage } } }),
    "no list, because the pages at #/pages are keyed by identifier; run",
  ],
  [JSON.stringify([{ id: "1", ...somePage }, somePage]), "2 elements at #, of which element 1 has no certain id"],
  [Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d), "expected a list of pages"],
])("a list whose body is %j fails without another attempt and says what came", async (body, message) => {
  const { client, requests } = scripted([new Response(body)]);

  const error = await failureOf(client.pages.list());

  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(String(error)).toContain(message);
  expect(String(error).length).toBeLessThan(700);
  expect(requests).toHaveLength(1);
});

const respond = (body: string, type: string, code = 200) =>
  new Response(body, { status: code, headers: { "Content-Type": type } });

describe("an HTML page of a proxy", () => {
  test.each([
    ["<!doctype html><title>Sign in</title>", "application/json", 200],
    ["\uFEFF<!-- a --> <!-- b --><HTML lang=en>", "text/plain", 201],
    ["  \r\n\t<head>", "application/octet-stream", 202],
    ["<!-- gateway -->\n<!DOCTYPE HTML PUBLIC '-//W3C//DTD'>", "text/html", 203],
    // A fragment is a page only if its type says so.
    ['<?xml version="1.0"?><!DOCTYPE html>', "application/xhtml+xml", 200],
    ["\uFEFF<center>Hi</center>", "TEXT/HTML;charset=iso-8859-1", 206],
    ["<form action=/login>", "text/html", 226],
  ])("is no success of any call, and is not retried: %j", async (body, type, code) => {
    for (const [name, send] of Object.entries({ ...writes, list: ({ pages }: LandingPages) => pages.list() })) {
      const { client, requests } = scripted([respond(body, type, code)]);

      const error = await failureOf(send(client));

      expect(error).toMatchObject({
        name: "ResponseValidationError",
        status: code,
        mayHaveBeenApplied: name in writes,
      });
      expect(String(error)).toContain("an HTML document");
      expect(requests).toHaveLength(1);
    }
  });

  test.each(["", "OK", "null", '{"ok":true}', "{broken", "1 < 2", '"<html>"', '{"html":"<html>"}', "[1,2]"])(
    "is the only success that fails a delete or an event, so %j does not",
    async (body) => {
      for (const send of Object.values(thin))
        for (const type of ["text/html", "application/json", "text/plain"])
          await expect(send(scripted([respond(body, type)]).client)).resolves.toBeUndefined();
    },
  );

  test("is recognised when it never ends, and does not change what a status means", async () => {
    const slow = scripted([beginning("<!doctype html><title>Sign in</title>")], { timeoutMs: 5 }).client;
    const gone = scripted([status(502), html("<!doctype html><pre>Cannot DELETE</pre>", 404)]).client;
    const forbidden = scripted([html("<!doctype html><h1>Forbidden</h1>", 403)]).client;

    expect(await failureOf(slow.pages.delete("pg_1"))).toBeInstanceOf(ResponseValidationError);
    await expect(gone.pages.delete("pg_1")).resolves.toBeUndefined();
    expect(await failureOf(forbidden.pages.delete("pg_1"))).toMatchObject({ name: "ApiError", status: 403 });
  });

  test("fails an event of the queue, which may have arrived, and no other event", async () => {
    const { client, requests } = scripted([html("<html>Sign in</html>"), status(204)]);
    const lost: unknown[] = [];
    const queue = client.analytics.queue({ concurrency: 1, onLost: (_event, { error }) => void lost.push(error) });
    for (let each = 0; each < 5; each += 1) queue.push({ pageId: `pg_${each}` });

    await queue.flush();

    expect(queue.counts).toMatchObject({ delivered: 4, failed: 1 });
    expect(lost).toEqual([expect.any(ResponseValidationError)]);
    expect(requests).toHaveLength(5);
  });
});

describe("a malicious body", () => {
  test.each<[string, string]>([
    ["an object and a million empty lines", `{}${"\n".repeat(1_000_000)}x`],
    ["a million quotes", '"1"   '.repeat(170_000)],
    ["a million backslashes", `{"a":"${"\\".repeat(1_000_000)}","b":12345678901234567890}`],
    ["a million digits", `[${"1".repeat(1_000_000)}]`],
    ["more pages than fit", `[${'{"id":1},'.repeat(1_000_000)}{"id":2}]`],
    ["half a comment", `<!--${"<!--".repeat(250_000)}`],
  ])("blocks nothing: %s", async (_title, body) => {
    const { client } = scripted([new Response(body)]);

    expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
  });

  test.each([
    ["nested deeper than 100", `${'{"data":'.repeat(101)}1${"}".repeat(101)}`, "nested deeper than 100"],
    ["of very many values", `[${"[],".repeat(600_000)}[]]`, "of more than 524288 values"],
    ["larger than 16 MiB", `[${" ".repeat(16 * 1024 * 1024)}]`, "more than 16777216 bytes"],
  ])("is refused before it is parsed if it is %s", async (_title, body, message) => {
    const parse = vi.spyOn(JSON, "parse");
    const { client } = scripted([new Response(body)], { retry: false });

    const error = await failureOf(client.pages.list());

    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(String(error)).toContain(message);
    expect(parse.mock.calls.filter(([text]) => text.length > 1000)).toEqual([]);
    parse.mockRestore();
  });

  test("that is nested without end leaves an error its status", async () => {
    const nested = `{"errors":${"[".repeat(20_000)}1${"]".repeat(20_000)},"id":"pg_1"}`;
    const { client } = scripted([new Response(nested, { status: 400 })]);

    expect(await failureOf(client.pages.list())).toMatchObject({ name: "BadRequestError", problem: { errors: [] } });
  });
});
