// One call as its events tell it: under one name and id, and with one end.
import type { Endpoint, EndpointName } from "@landing-page-service/contract";
import { ApiError } from "./api-errors.ts";
import { CallError, ResponseValidationError } from "./call-errors.ts";
import type { CallEvent, CallName, ClientEvent, EndEvent, Operation, Report } from "./log.ts";
import type { UnparsedResult } from "./result.ts";

/** Tells what happens in a call; the call's name, id and place are added. */
export interface ReportInCall {
  readonly call: CallName;
  (event: InCall<Exclude<ClientEvent & CallEvent, { type: "end" }>>): void;
}

/** Each kind of event on its own, without what all events of a call share. */
type InCall<Event> = Event extends CallEvent ? Omit<Event, keyof CallEvent | "url"> : never;

const operations: Readonly<Record<EndpointName, Operation>> = {
  listPages: "pages.list",
  createPage: "pages.create",
  updatePage: "pages.update",
  deletePage: "pages.delete",
  trackEvent: "analytics.track",
};

/**
 * Runs a call that somebody watches: all its events carry its name and id, and the last one says how it ended, also where
 * it is refused before its path could be written.
 */
export async function followCall<Value>(
  { report, now, baseUrl }: { readonly report: Report; readonly now: () => number; readonly baseUrl: string },
  endpoint: Pick<Endpoint, "name" | "method" | "path">,
  run: (begin: (path: string) => ReportInCall) => Promise<UnparsedResult<Value>>,
): Promise<UnparsedResult<Value>> {
  const { name, method, path: route } = endpoint;
  let about: CallEvent = { callId: crypto.randomUUID(), operation: operations[name], method, path: route, route };
  const startedAtMs = now();
  const end = (how: Pick<EndEvent, "attempts" | "status" | "error">) =>
    report({ type: "end", ...about, durationMs: Math.max(0, now() - startedAtMs), ...how });
  try {
    const result = await run((path) => {
      about = { ...about, path };
      const { callId, operation } = about;
      const tell = (event: Parameters<ReportInCall>[0]) =>
        report(event.type === "request" ? { ...event, ...about, url: baseUrl + path } : { ...event, ...about });
      return Object.assign(tell, { call: { callId, operation } });
    });
    end({ attempts: result.attempts.length, status: result.response.status });
    return result;
  } catch (error) {
    end({ attempts: CallError.is(error) ? error.attempts.length : 0, status: readStatus(error), error });
    throw error;
  }
}

function readStatus(error: unknown): number | undefined {
  // A call that was held back has the status of the answer that closed the gate, which was another call's.
  if (!CallError.is(error) || error.attempts.length === 0) return undefined;
  return ApiError.is(error) || ResponseValidationError.is(error) ? error.status : undefined;
}
