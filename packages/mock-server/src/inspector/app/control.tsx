import { useSignal } from "@preact/signals";
import { type Answers, call, forAccount } from "./api.ts";
import { FaultsCard } from "./faults.tsx";
import { Action, Card, Field, FileButton, Form, formatDateTime, formatJson, useRead } from "./parts.tsx";
import { noteChange, route } from "./state.ts";

/** The view of faults, clock and dialect. */
export function ControlView() {
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
  const { account } = route.value;
  const { data } = useRead<Answers["clock"]>(forAccount("clock", account));
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
    <Card title="Clock">
      <p class="big" aria-label="Current time">
        {data ? formatDateTime(data.nowMs) : "…"}
      </p>
      <p class="hint">
        {account === "" ? "The clock of all accounts." : `The clock of ${account}.`} Rate windows and dates follow it.
      </p>
      <div class="buttons">
        {steps.map(([ms, name]) => (
          <Action key={ms} label={`Advance the clock: ${name}`} run={() => advance(ms)}>
            {name}
          </Action>
        ))}
      </div>
      <Form label="Advance the clock" button="Advance" work={({ seconds }) => advance(Number(seconds) * 1_000)} inline>
        <Field label="Seconds" name="seconds" value="90" type="number" />
      </Form>
      <Form label="Set the clock" button="Set" work={set} inline>
        <Field label="Date and time" name="at" type="datetime-local" />
      </Form>
    </Card>
  );
}

/** Selects the dialect by a preset or a file, and shows a response of each endpoint. */
function DialectCard() {
  const presets = useRead<Answers["presets"]>("dialect/presets").data?.data ?? [];
  const inForce = useRead<object>("dialect").data;
  const chosen = useSignal<string | undefined>(undefined);
  const file = useSignal<unknown>(undefined);
  const present = presets.find(({ isInForce }) => isInForce)?.name ?? "";
  // The current dialect until a person chooses another one.
  const name = chosen.value ?? present;
  const dialect = name === "" ? (file.value ?? inForce) : name;
  const apply = async (): Promise<string> => {
    await call("PUT", "dialect", { dialect });
    noteChange();
    return "Dialect applied, from the next response on.";
  };
  const take = async (text: string): Promise<void> => {
    file.value = JSON.parse(text);
    chosen.value = "";
  };
  const isFromFile = file.value !== undefined || present === "";
  const names = [...presets.map((preset) => preset.name), ...(isFromFile ? [""] : [])];
  const options = names.map(
    (name) => [name, `${name || "from a file"}${name === present ? " (current)" : ""}`] as const,
  );
  return (
    <Card title="Dialect" broad>
      <p class="hint">
        How the service responds where its documentation is silent. For all accounts, until the service is reset.
      </p>
      <Form label="Choose a dialect" button="Apply" work={apply} inline>
        <Field
          label="Preset"
          name="preset"
          value={name}
          options={options}
          onChoose={(preset) => (chosen.value = preset)}
        />
        <FileButton label="From a file" accept=".json" take={take} />
      </Form>
      {dialect !== undefined && <Samples dialect={dialect} />}
    </Card>
  );
}

/** Shows a response of each endpoint in a dialect. */
function Samples({ dialect }: { readonly dialect: unknown }) {
  const { data, problem } = useRead<Answers["samples"]>("dialect/samples", { body: { dialect } });
  return (
    <div class="samples">
      {problem !== "" && <p class="problem">{problem}</p>}
      {data?.data.map(({ name, method, path, status, body }) => (
        <div key={name}>
          <p class="between">
            <strong>{name}</strong>
            <span class={`status s${Math.floor(status / 100)}`}>{status}</span>
          </p>
          <p class="hint cut">
            {method} {path}
          </p>
          <pre tabIndex={0} aria-label={`Response of ${name}`}>
            {body === "" ? "No body." : formatJson(body)}
          </pre>
        </div>
      ))}
    </div>
  );
}
