import { signal } from "@preact/signals";
import type * as z from "zod";
import type { PageRecord } from "@landing-page-service/contract";
import type { accountSummary, attemptedRequest, fault, rateLimit, shortRequests } from "../../control/schemas.ts";

/** A planned fault. */
export type Fault = z.infer<typeof fault>;
/** Summary of a request, as the event stream sends it. */
export type ShortRequest = z.infer<typeof shortRequests>[number];
/** A journal entry. */
export type WholeRequest = z.infer<typeof attemptedRequest>;

interface List<Item> {
  readonly data: readonly Item[];
}

/** Responses of the control API by name. */
export interface Answers {
  readonly accounts: List<z.infer<typeof accountSummary>>;
  readonly clock: { readonly nowMs: number };
  readonly events: List<{ readonly pageId: string }>;
  readonly faults: List<Fault>;
  readonly loaded: { readonly pages: number; readonly events: number };
  readonly pages: List<PageRecord>;
  readonly presets: List<{ readonly name: string; readonly isInForce: boolean }>;
  readonly rateLimit: z.infer<typeof rateLimit>;
  readonly samples: List<Record<"name" | "method" | "path" | "body", string> & { readonly status: number }>;
}

/** The token of the control API, for this tab only. */
export const token = signal(sessionStorage.getItem("token") ?? "");
/** Whether the server requires a token. */
export const isTokenWanted = signal(false);

/** Stores the token. */
export function keepToken(text: string): void {
  sessionStorage.setItem("token", text);
  isTokenWanted.value = false;
  token.value = text;
}

/** A refusal of the server. The same call would be refused again. */
export class Refusal extends Error {}

/** Number of calls of the control API in flight. */
export let inFlight = 0;

/** Calls the control API. @throws {Error} with the message of a refusal. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  inFlight += 1;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await ask(method, `/__mock/${path}`, sent).finally(() => (inFlight -= 1));
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answer; // why: the control API's OpenAPI document describes each response
}

/** Calls the control API, and returns the response for reading as a stream. */
export async function ask(method: string, path: string, body?: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    ...(token.value !== "" && { Authorization: `Bearer ${token.value}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const response = await fetch(path, { method, headers, ...(body !== undefined && { body }), ...init });
  if (response.ok) return response;
  if (response.status === 401 && init.headers === undefined) isTokenWanted.value = true;
  const { detail = `The server returned ${response.status}.` } = await response.json().catch(() => ({}));
  throw response.status < 500 ? new Refusal(detail) : new Error(detail);
}

/** Path of the control API for one account or all accounts. */
export function forAccount(path: string, key: string): string {
  return key === "" ? path : `${path}?key=${encodeURIComponent(key)}`;
}
