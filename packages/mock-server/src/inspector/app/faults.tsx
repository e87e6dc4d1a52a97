import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Answers, call, type Fault, forAccount } from "./api.ts";
import { Action, Card, Field, Form, useRead } from "./parts.tsx";
import { linkTo, noteChange, route } from "./state.ts";

/** All faults that this page has listed. The server does not list used-up faults any more. */
const seen = signal<ReadonlyMap<string, Fault>>(new Map());

function forget(id: string): void {
  seen.value = new Map([...seen.value].filter(([known]) => known !== id));
}

/** Adds faults, shows how often they fire, and removes them. */
export function FaultsCard() {
  const { account } = route.value;
  const { data } = useRead<Answers["faults"]>(forAccount("faults", account));
  useEffect(() => {
    seen.value = new Map([...seen.value, ...(data?.data ?? []).map((fault) => [fault.id, fault] as const)]);
  }, [data]);
  const shown = [...seen.value.values()].filter(({ rule: { key = account } }) => account === "" || key === account);
  return (
    <Card title="Faults">
      <FaultForm />
      {shown.length === 0 && <p class="hint">No fault is planned. Add one, then send a request.</p>}
      {shown.toReversed().map((fault) => (
        <FaultRow key={fault.id} fault={fault} isUsedUp={data?.data.every(({ id }) => id !== fault.id) ?? false} />
      ))}
    </Card>
  );
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
  ["stall", "no response"],
  ["garbage", "invalid HTTP"],
  ["delay", "2 s delay"],
] as const;

/** Names of the endpoints. */
export const endpointNames = ["createPage", "listPages", "updatePage", "deletePage", "trackEvent"] as const;
const endpoints = [["", "any request"], ...endpointNames.map((name) => [name, name] as const)] as const;

function FaultForm() {
  const { account } = route.value;
  const add = async ({ endpoint, failure = "", times, rule = "" }: Record<string, string>): Promise<string> => {
    const fault = {
      ...(account !== "" && { key: account }),
      ...(endpoint !== "" && { endpoint }),
      ...readFailure(failure),
      ...(times !== "" && { times: Number(times) }),
    };
    await call("POST", "faults", rule.trim() === "" ? fault : JSON.parse(rule));
    noteChange();
    return "Fault added.";
  };
  return (
    <Form label="Add a fault" button="Add fault" work={add}>
      <Field label="Endpoint" name="endpoint" options={endpoints} />
      <Field label="Failure" name="failure" options={failures} />
      <Field label="Times" name="times" value="1" type="number" placeholder="always" />
      <details class="wide">
        <summary>Rule as JSON</summary>
        <Field
          label="Rule, instead of the fields above"
          name="rule"
          rows={3}
          placeholder='{"path":"/api/content","method":"POST","wire":"reset","when":"after","times":1}'
        />
      </details>
    </Form>
  );
}

function readFailure(failure: string): object {
  if (failure === "delay") return { delayMs: 2_000 };
  return /^\d+$/.test(failure) ? { status: Number(failure) } : { wire: failure };
}

/** A fault and how often it has fired. For a used-up fault, it requests the last count. */
function FaultRow({ fault: { id, rule, fired }, isUsedUp }: { readonly fault: Fault; readonly isUsedUp: boolean }) {
  const path = `faults/${encodeURIComponent(id)}`;
  const last = useRead<Fault>(isUsedUp ? path : undefined, { isFixed: true });
  useEffect(() => {
    // Another client has removed the fault.
    if (last.problem !== "") forget(id);
  }, [last.problem]);
  const { key: _, times, ...what } = rule;
  const count = last.data?.fired ?? fired;
  const remove = async (): Promise<void> => {
    await call("DELETE", path).catch(() => {});
    forget(id);
    noteChange();
  };
  return (
    <div class="between fault">
      <code>{JSON.stringify(what)}</code>
      <a class={count > 0 ? "mark bad" : "mark"} href={linkTo({ view: "requests", id: "" })}>
        fired {count}
        {typeof times === "number" && ` of ${times}`} ×{isUsedUp && ", used up"}
      </a>
      <Action label={`Remove the fault ${id}`} run={remove}>
        Remove
      </Action>
    </div>
  );
}
