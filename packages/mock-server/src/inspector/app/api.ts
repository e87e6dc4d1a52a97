import { signal } from "@preact/signals";

/** A request in short, as the stream tells of it. */
export interface ShortRequest {
  readonly id: string;
  readonly account?: string;
  readonly endpoint?: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly pageId?: string;
  /** Missing when the caller went away before there was an answer. */
  readonly status?: number;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly fault?: string;
  readonly wire?: string;
  readonly idempotencyKey?: string;
  /** The how-manieth request of its account with its idempotency key. */
  readonly attempt?: number;
}

/** A request as the journal has it. */
export interface WholeRequest extends ShortRequest {
  readonly headers: Record<string, string>;
  readonly bodyBytes: number;
  readonly body: string;
  readonly answer: {
    readonly status?: number;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly durationMs: number;
    readonly wire?: string;
  };
}

/** Where an account stands in its rate window. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** An account, in numbers. */
export interface AccountSummary {
  readonly account: string;
  readonly pages: number;
  readonly events: number;
  readonly rateLimit: RateLimit;
}

/** A planned fault. */
export interface Fault {
  readonly id: string;
  readonly rule: Readonly<Record<string, unknown>>;
  readonly fired: number;
}

/** The token of the control API; kept for this tab only. */
export const token = signal(sessionStorage.getItem("token") ?? "");
/** Whether the server asked for a token that it was not given. */
export const isTokenWanted = signal(false);

/** Keeps the token. */
export function keepToken(text: string): void {
  sessionStorage.setItem("token", text);
  isTokenWanted.value = false;
  token.value = text;
}

/** What the server said no to: asking again would change nothing. */
export class Refusal extends Error {}

/** Asks the control API. @throws {Error} with the sentence that it answered instead. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await ask(method, `/__mock/${path}`, body === undefined ? undefined : JSON.stringify(body));
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answer; // why: the control API's document says what each row answers
}

/** The same, for an answer that is read as it comes. */
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

/** A path of the control API with the account that is meant; none when it is about all. */
export function forAccount(path: string, key: string): string {
  return key === "" ? path : `${path}?key=${encodeURIComponent(key)}`;
}
