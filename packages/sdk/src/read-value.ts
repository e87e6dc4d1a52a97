// What a success holds: the value that was asked for, or what is wrong with it, told without the key.
import { UnexpectedAnswer } from "./answers.ts";
import { isCutShort } from "./body.ts";
import type { ReportInCall } from "./report/events.ts";
import type { Call } from "./call/call.ts";
import type { Mismatch } from "./report/events.ts";
import type { Answer, Unexpected } from "./call/outcome.ts";
import { hideInPlaces, hideKey } from "./redact.ts";

/** Makes the value of a success, and reports what of it is elsewhere than documented, each place once for all that share `told`. */
export function readValue<Value>(
  { read }: Pick<Call<Value>, "read">,
  answer: Answer,
  key: string,
  { report, told }: { readonly report: ReportInCall | undefined; readonly told: Set<string> },
): { readonly kind: "value"; readonly data: Value } | Unexpected {
  const { status, text, rateLimit } = answer;
  const tell = (mismatch: Mismatch) => {
    const place = `${report?.call.operation} ${mismatch.where}`;
    if (report === undefined || told.has(place)) return;
    told.add(place);
    report({ type: "mismatch", ...hideInPlaces(mismatch, key) });
  };
  try {
    return { kind: "value", data: read(answer, tell) };
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
    const hidden = hideKey(text, key);
    const errors = hidden === text ? undefined : findProblems(read, { ...answer, text: hidden });
    const flaw = isCutShort(text) ? "CUT_SHORT" : undefined;
    return {
      kind: "unexpected",
      status,
      errors: errors ?? error.problems,
      wanted: error.wanted,
      rateLimit,
      text,
      flaw,
    };
  }
}

/** What is wrong with a text from which the key was taken out before: one that is cut first may end within the key. */
function findProblems(read: Call<unknown>["read"], answer: Answer): UnexpectedAnswer["problems"] | undefined {
  try {
    read(answer, () => undefined);
    return undefined;
  } catch (error) {
    return error instanceof UnexpectedAnswer ? error.problems : undefined;
  }
}
