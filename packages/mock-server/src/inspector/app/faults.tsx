import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, type Fault, forAccount } from "./api.ts";
import { attempt, Choice, submit, TextField, useRead } from "./parts.tsx";
import { linkTo, noteChange, place } from "./state.ts";

/** All faults that were listed here: the server no longer lists those that are used up. */
const seen = signal<ReadonlyMap<string, Fault>>(new Map());

/** Adds faults, shows how often they fire, and removes them. */
export function FaultsCard() {
  const { account } = place.value;
  const { data } = useRead<{ data: Fault[] }>(forAccount("faults", account), { everyMs: 1_000 });
  const open = new Set(data?.data.map(({ id }) => id));
  useEffect(() => {
    if (data !== undefined) void remember(data.data);
  }, [data]);
  const shown = Array.from(seen.value.values()).filter(
    ({ rule }) => account === "" || rule["key"] === undefined || rule["key"] === account,
  );
  return (
    <section class="card" aria-label="Faults">
      <h2>Faults</h2>
      <FaultForm />
      {shown.length === 0 && <p class="hint">No fault is planned. Add one, then send a request.</p>}
      <ul class="faults">
        {shown.toReversed().map((fault) => (
          <FaultRow key={fault.id} fault={fault} isOpen={open.has(fault.id)} />
        ))}
      </ul>
    </section>
  );
}

/** The list has the counts of faults that can still fire. Of the others, it asks for the last count. */
async function remember(listed: readonly Fault[]): Promise<void> {
  const next = new Map(seen.value);
  for (const fault of listed) next.set(fault.id, fault);
  const usedUp = Array.from(next.values()).filter(
    ({ id, fired, rule }) => fired !== rule["times"] && !listed.some((fault) => fault.id === id),
  );
  for (const { id } of usedUp) {
    const found = await call<Fault>("GET", `faults/${encodeURIComponent(id)}`).catch(() => undefined);
    if (found === undefined) next.delete(id);
    else next.set(id, found);
  }
  if (JSON.stringify([...next]) !== JSON.stringify([...seen.value])) seen.value = next;
}

const failures = [
  ["500", "500 Internal Server Error"],
  ["503", "503 Service Unavailable"],
  ["429", "429 Too Many Requests"],
  ["401", "401 Unauthorized"],
  ["400", "400 Bad Request"],
  ["404", "404 Not Found"],
  ["reset", "connection reset"],
  ["truncate", "response cut in half"],
  ["stall", "no response, ever"],
  ["garbage", "invalid HTTP"],
  ["delay", "2 s delay"],
] as const;

const endpoints = [
  ["", "any request"],
  ["createPage", "createPage"],
  ["listPages", "listPages"],
  ["updatePage", "updatePage"],
  ["deletePage", "deletePage"],
  ["trackEvent", "trackEvent"],
] as const;

function FaultForm() {
  const { account } = place.value;
  const added = useSignal(0);
  const add = async ({ endpoint, failure = "", times, rule = "" }: Record<string, string>): Promise<string> => {
    const fault = {
      ...(account !== "" && { key: account }),
      ...(endpoint !== "" && { endpoint }),
      ...readFailure(failure),
      ...(times !== "" && { times: Number(times) }),
    };
    await call("POST", "faults", rule.trim() === "" ? fault : JSON.parse(rule));
    added.value += 1;
    noteChange();
    return "Fault added.";
  };
  return (
    <form aria-label="Add a fault" onSubmit={submit(add)}>
      <div class="form three">
        <Choice label="Endpoint" name="endpoint" options={endpoints} />
        <Choice label="Failure" name="failure" options={failures} />
        <TextField label="Times" name="times" value="1" type="number" placeholder="always" />
      </div>
      <details>
        <summary>Rule as JSON</summary>
        <TextField
          key={added.value}
          label="Rule, instead of the fields above"
          name="rule"
          rows={3}
          wide
          placeholder='{"path":"/api/content","method":"POST","wire":"reset","when":"after","times":1}'
        />
      </details>
      <button class="primary" type="submit">
        Add fault
      </button>
    </form>
  );
}

function readFailure(failure: string): object {
  if (failure === "delay") return { delayMs: 2_000 };
  return /^\d+$/.test(failure) ? { status: Number(failure) } : { wire: failure };
}

function FaultRow({ fault: { id, rule, fired }, isOpen }: { readonly fault: Fault; readonly isOpen: boolean }) {
  const { key: _, times, ...what } = rule;
  const remove = async (): Promise<void> => {
    await call("DELETE", `faults/${encodeURIComponent(id)}`).catch(() => {});
    seen.value = new Map([...seen.value].filter(([known]) => known !== id));
    noteChange();
  };
  const count = `fired ${fired}${typeof times === "number" ? ` of ${times}` : ""} ×`;
  return (
    <li class={isOpen ? "" : "used"}>
      <code>{JSON.stringify(what)}</code>
      <a class={fired > 0 ? "mark fault" : "mark"} href={linkTo({ room: "requests", id: "" })}>
        {count}
        {!isOpen && ", used up"}
      </a>
      <button type="button" aria-label={`Remove the fault ${id}`} onClick={() => attempt(remove)}>
        Remove
      </button>
    </li>
  );
}
