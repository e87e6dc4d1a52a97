import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceCalls } from "../src/report/otel.ts";
import { json, scripted } from "./setup.ts";

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

test("the span of a call is the active one while the call runs, retries and hooks included, and not after it", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const active: (string | undefined)[] = [];
  const note = () => void active.push(trace.getActiveSpan()?.spanContext().spanId);
  const { client } = scripted([json([], 503), json([])], {
    onEvent: traceCalls({ tracer: provider.getTracer("test") }),
    hooks: { beforeRequest: [note], afterResponse: [note] },
  });

  await client.pages.list();

  const [span] = exporter.getFinishedSpans();
  const id = span?.spanContext().spanId;
  expect(id).toBeDefined();
  expect(active).toEqual([id, id, id, id]);
  expect(trace.getActiveSpan()).toBeUndefined();
});
