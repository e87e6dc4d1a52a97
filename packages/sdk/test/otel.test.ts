import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ClientOptions } from "../src/index.ts";
import { traceCalls } from "../src/report/otel.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer("test");
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(provider);
beforeEach(() => exporter.reset());
afterAll(() => {
  context.disable();
  trace.disable();
});

const traced = (responses: Parameters<typeof scripted>[0], options: ClientOptions = {}) =>
  scripted(responses, { onEvent: traceCalls(), ...options }).client;

test("a call is one client span with the conventions of HTTP, below the span that was active", async () => {
  const client = traced([json({ id: "pg_1", ...somePage })]);

  await tracer.startActiveSpan("publish", async (parent) => {
    await client.pages.update("pg_1", { title: "New" });
    parent.end();
  });

  const [span, parent] = exporter.getFinishedSpans();
  expect(exporter.getFinishedSpans()).toHaveLength(2);
  const status = { code: SpanStatusCode.UNSET };
  expect(span).toMatchObject({ name: "PUT /api/content/:id", kind: SpanKind.CLIENT, status });
  expect(span?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
  expect(span?.attributes).toEqual({
    "http.request.method": "PUT",
    "http.response.status_code": 200,
    "landing_pages.call_id": expect.stringMatching(/^[\da-f-]{36}$/),
    "landing_pages.operation": "updatePage",
    "server.address": "service.example",
    "server.port": 443,
    "url.full": "https://service.example/api/content/pg_1",
    "url.template": "/api/content/:id",
  });
  expect(span?.events.map(({ name }) => name)).toEqual(["attempt"]);
});

test("attempts and waits are events of the span, and a call that fails says why", async () => {
  const client = traced([status(503), json({ message: "no" }, 400)]);

  await failureOf(client.pages.list());

  const [span] = exporter.getFinishedSpans();
  expect(span?.events).toMatchObject([
    { name: "attempt", attributes: { "http.response.status_code": 503, "http.request.resend_count": 0 } },
    { name: "wait" },
    { name: "attempt", attributes: { "http.response.status_code": 400, "http.request.resend_count": 1 } },
    { name: "exception" },
  ]);
  const message = "List pages failed: 400 Bad Request (no), after 2 attempts";
  expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message });
  const facts = { "error.type": "400", "http.request.resend_count": 1, "http.response.status_code": 400 };
  expect(span?.attributes).toMatchObject(facts);
});

test("calls side by side have a span each, and no span holds the key", async () => {
  const client = traced([json([])], { apiKey: "test_do_not_show_this" });

  await Promise.all(Array.from({ length: 20 }, () => client.pages.list()));

  const spans = exporter.getFinishedSpans();
  expect(new Set(spans.map(({ attributes }) => attributes["landing_pages.call_id"])).size).toBe(20);
  const shown = spans.map(({ attributes, events, name }) => [attributes, events, name]);
  expect(JSON.stringify(shown)).not.toContain("do_not_show");
});

test("a call without a response has a span that says why", async () => {
  const client = traced([new Error("broken")], { retry: false });

  await failureOf(client.pages.create(somePage));
  await failureOf(client.pages.list({}, { signal: AbortSignal.abort() }));
  await failureOf(client.pages.delete(""));

  expect(exporter.getFinishedSpans().map(({ attributes }) => attributes)).toMatchObject([
    { "error.type": "ConnectionError", "landing_pages.operation": "createPage" },
    { "error.type": "AbortError" },
    { "error.type": "InvalidInputError" },
  ]);
});

test("the span of a call is the active one while the call runs, retries and hooks included, and not after it", async () => {
  const active: (string | undefined)[] = [];
  const note = () => void active.push(trace.getActiveSpan()?.spanContext().spanId);
  const client = traced([json([], 503), json([])], { hooks: { beforeRequest: [note], afterResponse: [note] } });

  await client.pages.list();

  const [span] = exporter.getFinishedSpans();
  const id = span?.spanContext().spanId;
  expect(id).toBeDefined();
  expect(active).toEqual([id, id, id, id]);
  expect(trace.getActiveSpan()).toBeUndefined();
});
