// The answer to one attempt: its headers as soon as they come, then its body, within a size.
import { readRateLimit } from "@landing-page-service/contract";
import { decode } from "./charset.ts";
import { readUndecodable } from "./network-failure.ts";
import type { Answer, Outcome } from "./outcome.ts";

/**
 * What the body of a success is for. Where it is `needed`, a success without all of it is none; where it is `wanted`, what the
 * caller knows completes as much as came; `aside`, it only helps to tell whose it is.
 */
export type BodyUse = "needed" | "wanted" | "aside";

/** How an answer is read. */
export interface ReadOptions {
  readonly bodyUse: BodyUse;
  readonly now: () => number;
  /** Largest decoded answer that is read. */
  readonly maxAnswerBytes: number;
  /** Told what the headers say, before the body comes. */
  readonly onHeaders: (answer: Omit<Answer, "kind" | "text">) => void;
}

/** An attempt under way, and how to end it. */
export interface AttemptUnderWay {
  readonly controller: AbortController;
  /** What it waits for: the key, hooks, `fetch` and the answer, and hooks again. */
  stage: "key" | "before" | "network" | "after";
  /** Lets go of a body that is being read, also where `fetch` ignores the signal. A listener at the signal would keep the whole answer in memory for longer than anybody needs it. */
  cancelBody?: () => void;
  /** Gives an answer whose body may be cut off anywhere; absent while there is none. */
  readSoFar?: () => Answer;
}

/** How much is read of a body that does not matter, or that only explains a status, in bytes. */
const maxAsideBytes = 64 * 1024;

/** Tells what the headers of an answer say, which holds whatever becomes of its body. */
export function hearHeaders(
  response: Response,
  { now, onHeaders }: Pick<ReadOptions, "now" | "onHeaders">,
  { controller }: AttemptUnderWay,
): Omit<Answer, "kind" | "text"> {
  const { status, headers } = response;
  const receivedAtMs = now();
  const about = { status, headers, response, rateLimit: readRateLimit(headers, receivedAtMs), receivedAtMs };
  if (!controller.signal.aborted) onHeaders(about);
  return about;
}

/** Reads an answer; a body that only explains a status is read as far as it goes. */
export async function readAnswer(response: Response, options: ReadOptions, attempt: AttemptUnderWay): Promise<Outcome> {
  const { maxAnswerBytes } = options;
  const bodyUse = response.ok ? options.bodyUse : "aside";
  const isNeeded = bodyUse === "needed";
  const about = hearHeaders(response, options, attempt);
  const { status, rateLimit } = about;
  const finish = (bytes: Uint8Array): Answer => ({ kind: "answer", ...about, ...decode(bytes, about.headers) });
  const finishEarly = (): Answer => ({ ...finish(join(chunks)), isCut: true });
  const refuse = (what: string, flaw?: "UNDECODABLE"): Outcome => {
    return { kind: "unexpected", status, errors: [{ pointer: "#", detail: `got ${what}` }], rateLimit, flaw };
  };
  const stream = streamOf(response);
  if (stream === null) return finish(new Uint8Array());
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (attempt.controller.signal.aborted) cancel();
  attempt.cancelBody = cancel;
  const chunks: Uint8Array[] = [];
  if (!isNeeded) attempt.readSoFar = finishEarly;
  try {
    let leftBytes = bodyUse === "aside" ? Math.min(maxAsideBytes, maxAnswerBytes) : maxAnswerBytes;
    while (leftBytes >= 0) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value.byteLength > leftBytes ? value.subarray(0, leftBytes) : value);
      leftBytes -= value.byteLength;
    }
    if (leftBytes < 0) {
      cancel();
      return isNeeded ? refuse(`more than ${maxAnswerBytes} bytes, its maxAnswerBytes`) : finishEarly();
    }
  } catch (error) {
    if (!isNeeded) return finishEarly();
    const said = readUndecodable(error);
    if (said === undefined) throw error;
    const encoding = about.headers.get("Content-Encoding") ?? "what it is";
    return refuse(`a body that cannot be decoded as ${encoding}: ${said}`, "UNDECODABLE");
  }
  return finish(join(chunks));
}

/**
 * Refuses what a `fetch` gives in place of an answer. Not by `instanceof`: the Response of a polyfill or of another realm is as good.
 *
 * @throws {TypeError} when it is no `Response`, or one that stands for a failure.
 */
export function checkAnswer(answer: Response): void {
  if (typeof answer?.status !== "number" || typeof answer.headers?.get !== "function")
    throw new TypeError("fetch gave no Response");
  if (answer.type === "opaqueredirect") throw new TypeError("fetch hid a redirect, which is never followed");
  if (answer.status === 0) throw new TypeError("fetch gave a Response that stands for a network error");
}

/** The body as a web stream of bytes, also of a `fetch` that gives a stream of Node's own, such as node-fetch, or none, such as a polyfill. */
export function streamOf(response: Response): ReadableStream<Uint8Array> | null {
  const { body } = response;
  if (body === null || typeof body?.getReader === "function") return body;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(new Uint8Array(await response.arrayBuffer()));
    controller.close();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
