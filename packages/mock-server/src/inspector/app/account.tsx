import { useSignal } from "@preact/signals";
import type { PageRecord } from "@landing-page-service/contract";
import { call, forAccount, type RateLimit } from "./api.ts";
import { ChooseAccount } from "./pages.tsx";
import { attempt, Bar, Choice, submit, TextField, useRead } from "./parts.tsx";
import { linkTo, noteChange, place } from "./state.ts";

/** The rate limit, plan and state of one account. */
export function AccountRoom() {
  const { account } = place.value;
  if (account === "") return <ChooseAccount />;
  return (
    <main class="single grid">
      <RateAndPlan account={account} />
      <State account={account} />
      <Events account={account} />
    </main>
  );
}

const unlimited = 2_147_483_647;

function RateAndPlan({ account }: { readonly account: string }) {
  const { data } = useRead<RateLimit>(forAccount("rate-limit", account), { everyMs: 1_000 });
  return (
    <>
      <Rate account={account} rate={data} />
      <PlanForm account={account} limit={data?.limit} />
    </>
  );
}

function Rate({ account, rate }: { readonly account: string; readonly rate: RateLimit | undefined }) {
  const clock = useRead<{ nowMs: number }>(forAccount("clock", account), { everyMs: 1_000 });
  const { limit = 1, remaining = 1, resetAtMs = 0 } = rate ?? {};
  const isUnlimited = limit === unlimited;
  const seconds = Math.max(0, Math.ceil((resetAtMs - (clock.data?.nowMs ?? resetAtMs)) / 1_000));
  const share = isUnlimited ? 1 : remaining / limit;
  const said = isUnlimited ? "unlimited" : `${remaining.toLocaleString("en")} of ${limit.toLocaleString("en")} left`;
  return (
    <section class="card" aria-label="Rate limit">
      <h2>Rate limit</h2>
      <div
        class="gauge"
        role="meter"
        aria-label="Requests left in this window"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={remaining}
        aria-valuetext={said}
      >
        <span class={share <= 0.1 ? "fill low" : "fill"} style={{ width: `${share * 100}%` }} />
      </div>
      <p class="between">
        <strong class="big">{rate ? said : "…"}</strong>
        <span class="hint">{tellWindow(isUnlimited, remaining === limit, seconds)}</span>
      </p>
    </section>
  );
}

function tellWindow(isUnlimited: boolean, isFull: boolean, seconds: number): string {
  if (isUnlimited) return "No request is refused.";
  return isFull ? "Window not started" : `Resets in ${seconds.toLocaleString("en")} s`;
}

function PlanForm({ account, limit: limitNow }: { readonly account: string; readonly limit: number | undefined }) {
  const chosen = useSignal("");
  // Until a person chooses, the current plan.
  const name = chosen.value === "" ? planOf(limitNow) : chosen.value;
  const change = async ({ requests, seconds }: Record<string, string>): Promise<string> => {
    const own = { limit: Number(requests), windowMs: Number(seconds) * 1_000 };
    await call("PUT", forAccount("plan", account), { plan: name === "own" ? own : name });
    noteChange();
    return "Plan applied. A new window begins with the next request.";
  };
  return (
    <form class="card" aria-label="Plan" onSubmit={submit(change)}>
      <h2>Plan</h2>
      <div class="form">
        <Choice label="Plan" name="plan" value={name} onChoose={(plan) => (chosen.value = plan)} options={plans} />
        {name === "own" && <TextField label="Requests" name="requests" value="5" type="number" />}
        {name === "own" && <TextField label="Window, seconds" name="seconds" value="60" type="number" />}
      </div>
      <button class="primary" type="submit">
        Apply
      </button>
    </form>
  );
}

const plans = [
  ["free", "free: 60 a minute"],
  ["starter", "starter: 600 a minute"],
  ["pro", "pro: 6 000 a minute"],
  ["unlimited", "unlimited"],
  ["own", "custom"],
] as const;

const planLimits: ReadonlyMap<number | undefined, string> = new Map([
  [60, "free"],
  [600, "starter"],
  [6_000, "pro"],
  [unlimited, "unlimited"],
]);

function planOf(limit: number | undefined): string {
  return limit === undefined ? "starter" : (planLimits.get(limit) ?? "own");
}

function State({ account }: { readonly account: string }) {
  const isSure = useSignal(false);
  const reset = async (): Promise<string> => {
    isSure.value = false;
    await call("POST", forAccount("reset", account));
    noteChange();
    return "The account is reset.";
  };
  return (
    <section class="card broad" aria-label="State">
      <h2>State</h2>
      <p class="hint">
        Pages, events, plan and clock, one JSON record per line, for <code>--seed</code> and <code>--import</code>.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => attempt(() => download(account))}>
          Download
        </button>
        <label class="button">
          Upload
          <input
            class="hidden"
            type="file"
            accept=".ndjson,.jsonl,.json"
            onChange={(event) => upload(event.currentTarget, account)}
          />
        </label>
        {isSure.value ? (
          <>
            <button type="button" class="danger" onClick={() => attempt(reset)}>
              Confirm reset
            </button>
            <button type="button" onClick={() => (isSure.value = false)}>
              Cancel
            </button>
          </>
        ) : (
          <button type="button" onClick={() => (isSure.value = true)}>
            Reset
          </button>
        )}
      </div>
    </section>
  );
}

async function download(account: string): Promise<string> {
  const records = await call<object[]>("GET", forAccount("snapshot", account));
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  const url = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: `${account}.ndjson` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return `Downloaded ${link.download}.`;
}

function upload(input: HTMLInputElement, account: string): void {
  const [file] = input.files ?? [];
  input.value = "";
  if (file === undefined) return;
  attempt(async () => {
    const records = readRecords(await file.text());
    const { pages, events } = await call<{ pages: number; events: number }>(
      "PUT",
      forAccount("snapshot", account),
      records,
    );
    noteChange();
    return `Loaded ${pages} pages and ${events} events.`;
  });
}

/** Reads one JSON record per line. @throws {Error} that names the line. */
function readRecords(text: string): unknown[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      const record: unknown = JSON.parse(line);
      return [record];
    } catch (error) {
      throw new Error(`Line ${index + 1} is not a JSON record: ${error instanceof Error ? error.message : ""}`, {
        cause: error,
      });
    }
  });
}

function Events({ account }: { readonly account: string }) {
  const pages = useRead<{ data: PageRecord[] }>(forAccount("pages", account));
  const events = useRead<{ data: { pageId: string }[] }>(forAccount("events", account));
  const counts = Map.groupBy(events.data?.data ?? [], ({ pageId }) => pageId);
  const most = Math.max(1, ...Array.from(counts.values(), (list) => list.length));
  const rows = (pages.data?.data ?? []).map((page) => ({ page, count: counts.get(page.id)?.length ?? 0 }));
  return (
    <section class="card broad" aria-label="Events per page">
      <h2>Events per page</h2>
      {rows.length === 0 && <p class="hint">This account has no pages yet.</p>}
      {rows
        .toSorted((one, other) => other.count - one.count)
        .slice(0, 100)
        .map(({ page, count }) => (
          <Bar
            key={page.id}
            label={<a href={linkTo({ room: "pages", id: page.id })}>{page.title}</a>}
            value={count.toLocaleString("en")}
            share={count / most}
            kind="kept"
          />
        ))}
    </section>
  );
}
