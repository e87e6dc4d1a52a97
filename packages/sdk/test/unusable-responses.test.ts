// Successes whose body is incomplete, an HTML page, or malicious.
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type LandingPages, ResponseValidationError } from "../src/index.ts";
import { failureOf, html, scripted, somePage, status } from "./setup.ts";

type Client = Pick<LandingPages<false>, "pages" | "analytics">;
type Send = (client: Client) => Promise<unknown>;

const changes = { title: "New", slug: "new-shoes" };
const read: Record<string, Send> = { list: ({ pages }) => pages.list() };
const thin: Record<string, Send> = {
  delete: ({ pages }) => pages.delete("pg_1"),
  track: ({ analytics }) => analytics.track({ pageId: "pg_1" }),
};
const writes: Record<string, Send> = {
  create: ({ pages }) => pages.create(somePage),
  update: ({ pages }) => pages.update("pg_1", changes),
  ...thin,
};
const successes = fc.constantFrom(200, 201, 202, 203, 206, 226);
const page = { ...somePage, ...changes, id: "pg_1", domains: [{ name: "shoes.example" }] };
const whole = JSON.stringify({ data: page });

/** A response whose body begins with a string and never ends. */
const stalled = (text: string) => () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(text)) }));

describe("a body that is incomplete", () => {
  /** A body that arrives in chunks and ends `cleanly`, or with an error code. */
  const incomplete = fc.record({
    bytes: fc.oneof(
      fc.nat(whole.length - 1).map((end) => new TextEncoder().encode(whole.slice(0, end))),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes, (byte) => byte | 0x80)),
    ),
    pieces: fc.integer({ min: 1, max: 4 }),
    end: fc.constantFrom<string[]>("cleanly", "Z_DATA_ERROR", "ECONNRESET", "UND_ERR_SOCKET"),
    type: fc.constantFrom<string[]>("application/json", "application/json; charset=utf-16", "text/plain"),
  });
  type Incomplete = typeof incomplete extends fc.Arbitrary<infer Body> ? Body : never;

  function respond({ bytes, pieces, end, type }: Incomplete, code: number): Response {
    const size = Math.ceil(bytes.length / pieces) || 1;
    let at = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += size)));
      else if (end === "cleanly") controller.close();
      else controller.error(new TypeError("terminated", { cause: Object.assign(new Error(end), { code: end }) }));
    };
    return new Response(new ReadableStream({ pull }), { status: code, headers: { "Content-Type": type } });
  }

  const broken = () =>
    respond({ bytes: new TextEncoder().encode('{"da'), pieces: 2, end: "Z_DATA_ERROR", type: "application/json" }, 200);

  test.each<keyof typeof thin>(["delete", "track"])(
    "does not fail %s, because the status says that it succeeded",
    async (name) => {
      await fc.assert(
        fc.asyncProperty(incomplete, fc.constantFrom(200, 201, 202), async (body, code) => {
          const { client, requests } = scripted([() => respond(body, code)], { retry: { writes: "always" } });

          expect(await thin[name]?.(client)).toBeUndefined();
          expect(requests).toHaveLength(1);
        }),
      );
    },
  );

  test("fails a create, which needs the id; it is not sent again and may have been applied", async () => {
    await fc.assert(
      fc.asyncProperty(incomplete, async (body) => {
        const { client, requests } = scripted([() => respond(body, 201)]);

        expect(await failureOf(client.pages.create(somePage))).toMatchObject({ mayHaveBeenApplied: true });
        expect(requests).toHaveLength(1);
      }),
    );
  });

  test.each<[string, () => Response, object]>([
    ["breaks off", broken, { name: "ConnectionError", code: "Z_DATA_ERROR", attempts: [{}, {}, {}] }],
    ["stalls", stalled("{"), { name: "TimeoutError", attempts: [{}, {}, {}] }],
    ["is larger than maxAnswerBytes", () => new Response(whole), { name: "ResponseValidationError", attempts: [{}] }],
  ])("and %s fails an update, which may have been applied", async (_title, response, error) => {
    const { client } = scripted([response], { maxAnswerBytes: 50, timeoutMs: 30 });

    expect(await failureOf(client.pages.update("pg_1", changes))).toMatchObject({ ...error, mayHaveBeenApplied: true });
  });

  test("and breaks off makes an update try again", async () => {
    const { client } = scripted([() => broken(), new Response(whole)]);

    await expect(client.pages.update("pg_1", changes)).resolves.toMatchObject(page);
  });

  test("makes an update try again if its JSON was cut, although the connection ended cleanly", async () => {
    const { client } = scripted([new Response(whole.slice(0, -5)), new Response(whole)]);

    await expect(client.pages.update("pg_1", changes)).resolves.toMatchObject(page);
  });

  test("makes a list try again, wherever its JSON was cut, although the connection ended cleanly", async () => {
    const records = fc.uniqueArray(
      fc.record({ id: fc.stringMatching(/^pg_\d{1,6}$/), title: fc.string(), note: fc.jsonValue({ maxDepth: 2 }) }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 4 },
    );
    const envelope = fc.constantFrom<(pages: unknown[]) => unknown>(
      (pages) => pages,
      (data) => ({ data, total: 9 }),
    );
    await fc.assert(
      fc.asyncProperty(records, envelope, fc.constantFrom(0, 2), fc.nat(), async (pages, wrap, indent, end) => {
        const text = JSON.stringify(wrap(pages), null, indent);
        const part = text.slice(0, 1 + (end % (text.length - 1)));
        const { client, events } = scripted([new Response(part), new Response(text)]);

        const { data, attempts } = await client.pages.list().withResponse();

        expect(data.data.map(({ id }) => id)).toEqual(pages.map(({ id }) => id));
        expect(attempts).toMatchObject([{ status: 200, failure: "CUT_SHORT" }, { status: 200 }]);
        expect(events).toContainEqual(expect.objectContaining({ type: "retry", reason: "CUT_SHORT" }));
      }),
    );
  });

  test("is named in the error of a create, which says nothing of dialects", async () => {
    const { client } = scripted([new Response('{"id":"pg_1', { status: 201 })]);

    const message = String(await failureOf(client.pages.create(somePage)));

    expect(message).toContain('got JSON that is cut short: {"id":"pg_1)');
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

describe("an HTML page of a proxy", () => {
  const blank = fc.constantFrom("", "\n", "  \r\n\t", "\uFEFF", "<!-- gateway -->\n", "\uFEFF<!-- a --> <!-- b -->");
  const doctype = "<!DOCTYPE HTML PUBLIC '-//W3C//DTD'>";
  const start = fc.constantFrom("<!doctype html>", doctype, "<html>", "<HTML lang=en>", "<head>");
  const xml = '<?xml version="1.0"?><!DOCTYPE html>';
  const fragment = fc.constantFrom(xml, "<center>Hi</center>", "<form action=/login>", "<!-- a -->");
  const htmlType = fc.constantFrom("text/html", "TEXT/HTML;charset=iso-8859-1", "application/xhtml+xml");
  const anyType = fc.oneof(htmlType, fc.constantFrom("application/json", "text/plain", "application/octet-stream"));
  const text = fc.string({ maxLength: 200 });
  const pages = fc.oneof(
    fc.tuple(blank, start, text, anyType),
    // A fragment is a page only if its type says so.
    fc.tuple(fc.constantFrom("", "\n ", "\uFEFF"), fragment, text, htmlType),
  );

  test.each(Object.entries({ ...read, ...writes }))("is no success of %s, which is not retried", async (name, send) => {
    await fc.assert(
      fc.asyncProperty(pages, successes, async ([before, element, after, type], code) => {
        const body = before + element + after;
        const response = new Response(body, { status: code, headers: { "Content-Type": type } });
        const { client, requests } = scripted([response]);

        const error = await failureOf(send(client));

        expect(error).toBeInstanceOf(ResponseValidationError);
        expect(error).toMatchObject({ status: code, mayHaveBeenApplied: name in writes });
        expect(String(error)).toContain("an HTML document");
        expect(requests).toHaveLength(1);
      }),
    );
  });

  test.each(Object.entries(thin))("is the only success that fails %s", async (_name, send) => {
    const other = fc.oneof(
      fc.constantFrom("", "OK", "null", '{"ok":true}', "{broken", "1 < 2", '"<html>"', '{"html":"<html>"}'),
      fc.json().filter((text) => text !== "false"),
      fc.string({ maxLength: 100 }).filter((text) => !/[<\uFEFF]/.test(text)),
    );
    await fc.assert(
      fc.asyncProperty(other, anyType, successes, async (body, type, code) => {
        const { client } = scripted([new Response(body, { status: code, headers: { "Content-Type": type } })]);

        await expect(send(client)).resolves.toBeUndefined();
      }),
    );
    const { client } = scripted([status(204, { "Content-Type": "text/html" })]);
    await expect(send(client)).resolves.toBeUndefined();
  });

  test("is recognised when it never ends, and does not change what a status means", async () => {
    const slow = scripted([stalled("<!doctype html><title>Sign in</title>")], { timeoutMs: 5 }).client;
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
    ["many long integers", `[${"12345678901234567890,".repeat(50_000)}1]`],
    ["many digits in strings", `[${'"1234567890123456789",'.repeat(50_000)}1]`],
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
