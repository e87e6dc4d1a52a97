// What a success holds: the value that was asked for, or what is wrong with it, told without the key.
import { UnexpectedAnswer } from "./answers.ts";
import { isCutShort } from "./body.ts";
import type { ReportInCall } from "./call-report.ts";
import type { Call } from "./connection.ts";
import type { Answer, Unexpected } from "./outcome.ts";
import { hideInPlaces, hideKey } from "./redact.ts";

/** Makes the value of a success, and reports what of it is elsewhere than documented. */
export function readValue<Value>(
  { read }: Pick<Call<Value>, "read">,
  answer: Answer,
  key: string,
  report: ReportInCall | undefined,
): { readonly kind: "value"; readonly data: Value } | Unexpected {
  const { status, text, rateLimit } = answer;
  try {
    const data = read(answer, (mismatch) => report?.({ type: "mismatch", ...hideInPlaces(mismatch, key) }));
    return { kind: "value", data };
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
    const hidden = hideKey(text, key);
    const errors = hidden === text ? undefined : findProblems(read, { ...answer, text: hidden });
    const flaw = isCutShort(text) ? "CUT_SHORT" : undefined;
    return { kind: "unexpected", status, errors: errors ?? error.problems, rateLimit, text, flaw };
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
