import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "./api.ts";
import { attempt, Choice, formatJson, notify, submit, useRead } from "./parts.tsx";
import { noteChange } from "./state.ts";

interface Preset {
  readonly name: string;
  readonly isInForce: boolean;
}

interface Sample {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

/** The dialect, from a preset or a file, with a response of each endpoint. */
export function DialectCard() {
  const presets = useRead<{ data: Preset[] }>("dialect/presets");
  const inForce = useRead<object>("dialect");
  const chosen = useSignal<string | undefined>(undefined);
  const file = useSignal<unknown>(undefined);
  const present = presets.data?.data.find(({ isInForce }) => isInForce)?.name ?? "";
  // Until a person chooses, the current dialect.
  const name = chosen.value ?? present;
  const dialect = name === "" ? (file.value ?? inForce.data) : name;
  const apply = async (): Promise<string> => {
    await call("PUT", "dialect", { dialect });
    noteChange();
    return "Dialect applied, from the next response on.";
  };
  const options = presets.data?.data.map(({ name, isInForce }) => [name, mark(name, isInForce)] as const) ?? [];
  const isFromFile = file.value !== undefined || present === "";
  return (
    <section class="card broad" aria-label="Dialect">
      <h2>Dialect</h2>
      <p class="hint">
        How the service responds where its documentation is silent. For all accounts, until the service is reset.
      </p>
      <form class="inline" aria-label="Choose a dialect" onSubmit={submit(apply)}>
        <Choice
          label="Preset"
          name="preset"
          value={name}
          onChoose={(preset) => (chosen.value = preset)}
          options={isFromFile ? [...options, ["", mark("from a file", present === "")] as const] : options}
        />
        <label class="button">
          From a file
          <input
            class="hidden"
            type="file"
            accept=".json"
            onChange={({ currentTarget: { files } }) =>
              attempt(async () => {
                file.value = JSON.parse((await files?.[0]?.text()) ?? "null");
                chosen.value = "";
              })
            }
          />
        </label>
        <button class="primary" type="submit">
          Apply
        </button>
      </form>
      <Samples dialect={dialect} />
    </section>
  );
}

function mark(name: string, isInForce: boolean): string {
  return isInForce ? `${name} (current)` : name;
}

/** A response of each endpoint in a dialect. */
function Samples({ dialect }: { dialect: unknown }) {
  const samples = useSignal<readonly Sample[]>([]);
  useEffect(() => {
    if (dialect === undefined) return;
    call<{ data: Sample[] }>("POST", "dialect/samples", { dialect }).then(
      ({ data }) => (samples.value = data),
      (error: unknown) => {
        samples.value = [];
        notify(error instanceof Error ? error.message : String(error));
      },
    );
  }, [JSON.stringify(dialect)]);
  return (
    <div class="samples">
      {samples.value.map(({ name, method, path, status, body }) => (
        <div key={name} class="sample">
          <p class="between">
            <strong>{name}</strong>
            <span class={`status s${Math.floor(status / 100)}`}>{status}</span>
          </p>
          <p class="hint">
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
