import { call, forAccount } from "./api.ts";
import { DialectCard } from "./dialect.tsx";
import { FaultsCard } from "./faults.tsx";
import { attempt, formatDateTime, submit, TextField, useRead } from "./parts.tsx";
import { noteChange, place } from "./state.ts";

/** Faults, clock and dialect. */
export function ControlRoom() {
  return (
    <main class="single grid">
      <FaultsCard />
      <ClockCard />
      <DialectCard />
    </main>
  );
}

const steps = [
  [1_000, "+ 1 s"],
  [60_000, "+ 1 min"],
  [3_600_000, "+ 1 h"],
  [86_400_000, "+ 1 day"],
] as const;

function ClockCard() {
  const { account } = place.value;
  const { data } = useRead<{ nowMs: number }>(forAccount("clock", account), { everyMs: 1_000 });
  const advance = async (ms: number): Promise<void> => {
    await call("POST", forAccount("clock/advance", account), { ms });
    noteChange();
  };
  const set = async ({ at = "" }: Record<string, string>): Promise<string> => {
    await call("PUT", forAccount("clock", account), { at: new Date(at).getTime() });
    noteChange();
    return "Clock set.";
  };
  return (
    <section class="card" aria-label="Clock">
      <h2>Clock</h2>
      <p class="big" aria-label="Current time">
        {data ? formatDateTime(data.nowMs) : "…"}
      </p>
      <p class="hint">
        {account === "" ? "The clock of all accounts." : `The clock of ${account}.`} Rate windows and dates follow it.
      </p>
      <div class="buttons">
        {steps.map(([ms, name]) => (
          <button
            key={ms}
            type="button"
            aria-label={`Advance the clock: ${name}`}
            onClick={() => attempt(() => advance(ms))}
          >
            {name}
          </button>
        ))}
      </div>
      <form
        class="inline"
        aria-label="Advance the clock"
        onSubmit={submit(({ seconds }) => advance(Number(seconds) * 1_000))}
      >
        <TextField label="Seconds" name="seconds" value="90" type="number" />
        <button type="submit">Advance</button>
      </form>
      <form class="inline" aria-label="Set the clock" onSubmit={submit(set)}>
        <TextField label="Date and time" name="at" type="datetime-local" />
        <button type="submit">Set</button>
      </form>
    </section>
  );
}
