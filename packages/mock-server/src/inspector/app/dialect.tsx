import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { submit } from "./account.tsx";
import { call } from "./api.ts";
import { attempt, Choice, readable, tell, useRead } from "./parts.tsx";
import { noteChange } from "./state.ts";

interface Sample {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

/** How the service speaks: a preset or a file, with what each endpoint would answer. */
export function DialectCard() {
  const presets = useRead<{ data: { name: string }[] }>("dialect/presets");
  const chosen = useSignal("reference");
  const file = useSignal<unknown>(undefined);
  const dialect = chosen.value === "" ? file.value : chosen.value;
  const speak = async (): Promise<string> => {
    await call("PUT", "dialect", { dialect });
    noteChange();
    return "The service speaks so from its next answer on.";
  };
  const options = presets.data?.data.map(({ name }) => [name, name] as const) ?? [["reference", "reference"] as const];
  return (
    <section class="card broad" aria-label="Dialect">
      <h2>Dialect</h2>
      <p class="hint">
        How the service answers where its documentation is silent. For all accounts, until the service is reset.
      </p>
      <form class="inline" aria-label="Choose a dialect" onSubmit={(event) => submit(event, speak)}>
        <Choice
          label="Preset"
          value={chosen}
          options={file.value === undefined ? options : [...options, ["", "the file"] as const]}
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
          Speak so
        </button>
      </form>
      <Samples dialect={dialect} />
    </section>
  );
}

/** What each endpoint would answer in a dialect. */
function Samples({ dialect }: { dialect: unknown }) {
  const samples = useSignal<readonly Sample[]>([]);
  useEffect(() => {
    if (dialect === undefined) return;
    call<{ data: Sample[] }>("POST", "dialect/samples", { dialect }).then(
      ({ data }) => (samples.value = data),
      (error: unknown) => {
        samples.value = [];
        tell(error instanceof Error ? error.message : String(error));
      },
    );
  }, [dialect]);
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
          <pre tabIndex={0} aria-label={`Answer of ${name}`}>
            {body === "" ? "no body" : readable(body)}
          </pre>
        </div>
      ))}
    </div>
  );
}
