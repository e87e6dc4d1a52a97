import type { ControlRow } from "./row.ts";
import { serviceRows } from "./service-rows.ts";
import { stateRows } from "./state-rows.ts";
import { testingRows } from "./testing-rows.ts";

/** Everything the control API can do. */
export const controlRows: readonly ControlRow[] = [...serviceRows, ...stateRows, ...testingRows];
