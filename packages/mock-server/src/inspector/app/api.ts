import { signal } from "@preact/signals";
import type * as z from "zod";
import type { accountSummary, attemptedRequest, fault, rateLimit, shortRequests } from "../../control/schemas.ts";

/** A request in short, as the stream sends it. */
export type ShortRequest = z.infer<typeof shortRequests>[number];
/** A request as the journal has it. */
export type WholeRequest = z.infer<typeof attemptedRequest>;
/** The rate limit of an account. */
export type RateLimit = z.infer<typeof rateLimit>;
/** An account, in numbers. */
export type AccountSummary = z.infer<typeof accountSummary>;
/** A planned fault. */
export type Fault = z.infer<typeof fault>;

/** The token of the control API; kept for this tab only. */
export const token = signal(sessionStorage.getItem("token") ?? "");
/** Whether the server asks for a token. */
export const isTokenWanted = signal(false);

/** Keeps the token. */
export function keepToken(text: string): void {
  sessionStorage.setItem("token", text);
  isTokenWanted.value = false;
  token.value = text;
}

/** A refusal of the server: a repeated call would be refused too. */
export class Refusal extends Error {}

/** Calls the control API. @throws {Error} with the sentence of a refusal. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await ask(method, `/__mock/${path}`, body === undefined ? undefined : JSON.stringify(body));
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answer; // why: the control API's document says what each row answers
}

/** The same, for a response that is read as a stream. */
export async function ask(method: string, path: string, body?: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    ...(token.value !== "" && { Authorization: `Bearer ${token.value}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const response = await fetch(path, { method, headers, ...(body !== undefined && { body }), ...init });
  if (response.ok) return response;
  if (response.status === 401 && init.headers === undefined) isTokenWanted.value = true;
  const problem = await response.text();
  const detail = readDetail(problem) ?? `The server answered ${response.status}.`;
  throw response.status < 500 ? new Refusal(detail) : new Error(detail);
}

function readDetail(problem: string): string | undefined {
  try {
    return (JSON.parse(problem) as { detail?: string }).detail; // why: refusals of the control API are problems
  } catch {
    return undefined;
  }
}

/** A path of the control API about one account, or all of them. */
export function forAccount(path: string, key: string): string {
  return key === "" ? path : `${path}?key=${encodeURIComponent(key)}`;
}
