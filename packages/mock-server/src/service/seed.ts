import { type EventContext, recordEvent } from "../api/analytics.ts";
import type { InputReaders } from "../api/input.ts";
import { createPage, type PageContext } from "../api/pages.ts";
import { isRefusal, type Outcome } from "../exchange/outcome.ts";
import type { RecordMakers } from "../state/state-loader.ts";

/** What making pages and events needs beside them. */
export interface SeedContext extends Omit<PageContext, "newId">, Pick<EventContext, "findPage"> {
  readonly inputs: InputReaders;
}

/** Holds what a person wrote into a state to the rules that requests are held to. */
export function createRecordMakers(newState: RecordMakers["newState"], context: () => SeedContext): RecordMakers {
  return {
    newState,
    makePage({ pages, ids }, page, id) {
      const { inputs, ...rest } = context();
      const input = inputs.createPage.check(page);
      if (isRefusal(input)) return tell(input);
      return tell(createPage(pages, input, { ...rest, newId: () => id ?? ids.nextPage(rest.nowMs) }));
    },
    makeEvent({ events, pages, ids }, event) {
      const { inputs, switches, nowMs, findPage } = context();
      const newId = (): string => ids.nextEvent(nowMs);
      const input = inputs.event.check(event);
      return tell(isRefusal(input) ? input : recordEvent({ events, pages }, input, { switches, newId, findPage }));
    },
  };
}

/** Every wrong field on a line of its own; `undefined` when there is nothing to tell. */
function tell(outcome: Outcome): string | undefined {
  if (!isRefusal(outcome)) return undefined;
  const { detail, errors = [] } = outcome;
  if (errors.length === 0) return detail;
  return `wrong fields${errors.map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`).join("")}`;
}
