/**
 * Turns the client's events into OpenTelemetry spans: one for each call, by the semantic conventions for HTTP clients.
 *
 * @module otel
 */
import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { checkOptions, type Names, optionsOf, withMethods } from "../options.ts";
import type { CallEvent, ClientEvent, EndEvent } from "./events.ts";
import { asError, type CallRunner, runCall } from "./report.ts";

/** Options of `traceCalls`. */
export interface TraceOptions {
  /** Makes the spans. @defaultValue the tracer of the global tracer provider with the name of this package */
  readonly tracer?: Tracer | undefined;
}

const traceOptions = optionsOf({
  tracer: withMethods(["startSpan"], "expected a Tracer"),
} satisfies Names<TraceOptions>);

/**
 * Makes a listener for `onEvent` that turns every call into one client span, waits included. Its parent is the span that is active when
 * the call is made. The span is active while the call runs. Every attempt and every wait is an event of the span.
 *
 * @throws {ConfigurationError} when an option does not exist.
 * @example
 * ```ts
 * const client = new LandingPages({ onEvent: traceCalls() });
 * ```
 */
export function traceCalls(options: TraceOptions = {}): (event: ClientEvent) => void {
  checkOptions(traceOptions, options);
  const spans = new Map<string, Span>();
  const start = ({ callId, operation, method, route }: CallEvent) => {
    const tracer = options.tracer ?? trace.getTracer("@landing-page-service/sdk");
    const attributes = {
      "http.request.method": method,
      "url.template": route,
      "landing_pages.operation": operation,
      "landing_pages.call_id": callId,
    };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.CLIENT, attributes });
    spans.set(callId, span);
    return span;
  };
  const listen = (event: ClientEvent) => {
    // Events of the rate limiter, the queue and pagination name a call, but are not a part of it. The call may have ended.
    if (!("route" in event)) return;
    // If another listener calls this one, the client did not run the call in a span.
    const span = spans.get(event.callId) ?? start(event);
    if (event.type === "request") span.setAttributes(readUrl(event.url));
    if (event.type === "response") span.addEvent("attempt", describeAttempt(event));
    if (event.type === "wait") {
      const { reason, delayMs } = event;
      span.addEvent("wait", { reason, ...(delayMs !== undefined && { "wait.duration_ms": delayMs }) });
    }
    if (event.type !== "end") return;
    spans.delete(event.callId);
    endSpan(span, event);
  };
  const run: CallRunner[typeof runCall] = (call, work) =>
    context.with(trace.setSpan(context.active(), start(call)), work);
  return Object.assign(listen, { [runCall]: run });
}

function readUrl(text: string): Attributes {
  const url = new URL(text);
  const defaultPort = url.protocol === "https:" ? 443 : 80;
  return {
    "url.full": text,
    "server.address": url.hostname,
    "server.port": url.port === "" ? defaultPort : Number(url.port),
  };
}

function describeAttempt({ attempt, status, failure, durationMs }: ClientEvent & { type: "response" }): Attributes {
  return {
    "http.request.resend_count": attempt - 1,
    ...(status !== undefined && { "http.response.status_code": status }),
    ...(failure !== undefined && { "error.type": failure }),
    "attempt.duration_ms": durationMs,
  };
}

function endSpan(span: Span, { attempts, status, error }: EndEvent): void {
  if (status !== undefined) span.setAttribute("http.response.status_code", status);
  if (attempts > 1) span.setAttribute("http.request.resend_count", attempts - 1);
  if (error !== undefined) {
    const thrown = asError(error);
    span.setAttribute("error.type", String(status ?? thrown.name));
    span.setStatus({ code: SpanStatusCode.ERROR, message: thrown.message });
    span.recordException(thrown);
  }
  span.end();
}
