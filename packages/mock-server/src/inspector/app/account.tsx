import { useSignal } from "@preact/signals";
import { type Answers, call, forAccount } from "./api.ts";
import { ChooseAccount } from "./pages.tsx";
import { Action, Bar, Card, Field, FileButton, Form, useRead } from "./parts.tsx";
import { linkTo, noteChange, route } from "./state.ts";

/** The view of one account: rate limit, plan and state. */
export function AccountView() {
  const { account } = route.value;
  const { data } = useRead<Answers["rateLimit"]>(account === "" ? undefined : forAccount("rate-limit", account));
  if (account === "") return <ChooseAccount />;
  return (
    <main class="single grid">
      <Rate account={account} rate={data} />
      <Plan account={account} limit={data?.limit} />
      <State account={account} />
      <Events account={account} />
    </main>
  );
}

const unlimited = 2_147_483_647;

function Rate({ account, rate }: { readonly account: string; readonly rate: Answers["rateLimit"] | undefined }) {
  const clock = useRead<Answers["clock"]>(forAccount("clock", account));
  const { limit = 1, remaining = 1, resetAtMs = 0 } = rate ?? {};
  const isUnlimited = limit === unlimited;
  const seconds = Math.max(0, Math.ceil((resetAtMs - (clock.data?.nowMs ?? resetAtMs)) / 1_000));
  const window = remaining === limit ? "Window not started" : `Resets in ${seconds.toLocaleString("en")} s`;
  const left = isUnlimited ? "unlimited" : `${remaining.toLocaleString("en")} of ${limit.toLocaleString("en")} left`;
  return (
    <Card title="Rate limit">
      <meter aria-label="Requests left in this window" max={limit} low={limit / 10} optimum={limit} value={remaining} />
      <p class="between">
        <strong class="big">{rate ? left : "…"}</strong>
        <span class="hint">{isUnlimited ? "Unlimited requests." : window}</span>
      </p>
    </Card>
  );
}

const plans = [
  ["free", "free: 60 a minute", 60],
  ["starter", "starter: 600 a minute", 600],
  ["pro", "pro: 6 000 a minute", 6_000],
  ["unlimited", "unlimited", unlimited],
  ["own", "custom", 0],
] as const;

function Plan({ account, limit = 600 }: { readonly account: string; readonly limit: number | undefined }) {
  const chosen = useSignal("");
  // The current plan until a person chooses another one.
  const name = chosen.value || (plans.find(([, , requests]) => requests === limit)?.[0] ?? "own");
  const change = async ({ requests, seconds }: Record<string, string>): Promise<string> => {
    const own = { limit: Number(requests), windowMs: Number(seconds) * 1_000 };
    await call("PUT", forAccount("plan", account), { plan: name === "own" ? own : name });
    noteChange();
    return "Plan applied. A new window begins with the next request.";
  };
  const options = plans.map(([plan, text]) => [plan, text] as const);
  return (
    <Card title="Plan">
      <Form label="Plan" button="Apply" work={change}>
        <Field label="Plan" name="plan" value={name} options={options} onChoose={(plan) => (chosen.value = plan)} />
        {name === "own" && <Field label="Requests" name="requests" value={String(limit)} type="number" />}
        {name === "own" && <Field label="Seconds" name="seconds" value="60" type="number" />}
      </Form>
    </Card>
  );
}

function State({ account }: { readonly account: string }) {
  const reset = async (): Promise<string | void> => {
    if (!confirm(`Reset ${account}?`)) return;
    await call("POST", forAccount("reset", account));
    noteChange();
    return "The account is reset.";
  };
  const upload = async (text: string): Promise<string> => {
    const path = forAccount("snapshot", account);
    const { pages, events } = await call<Answers["loaded"]>("PUT", path, readRecords(text));
    noteChange();
    return `Loaded ${pages} pages and ${events} events.`;
  };
  return (
    <Card title="State" broad>
      <p class="hint">
        Pages, events, plan and clock, one JSON record per line, for <code>--seed</code> and <code>--import</code>.
      </p>
      <div class="buttons">
        <Action run={() => download(account)}>Download</Action>
        <FileButton label="Upload" accept=".ndjson,.jsonl,.json" take={upload} />
        <Action run={reset}>Reset</Action>
      </div>
    </Card>
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

/** Parses one JSON record per line. @throws {Error} that names the line. */
function readRecords(text: string): unknown[] {
  return text.split("\n").flatMap((line, index): unknown[] => {
    try {
      return line.trim() === "" ? [] : [JSON.parse(line)];
    } catch (error) {
      const { message } = error as SyntaxError; // why: the parser throws no other
      throw new Error(`Line ${index + 1} is not a JSON record: ${message}`, { cause: error });
    }
  });
}

function Events({ account }: { readonly account: string }) {
  const pages = useRead<Answers["pages"]>(forAccount("pages", account)).data?.data ?? [];
  const events = useRead<Answers["events"]>(forAccount("events", account)).data?.data ?? [];
  const counts = new Map([...Map.groupBy(events, ({ pageId }) => pageId)].map(([id, { length }]) => [id, length]));
  const countOf = ({ id }: { readonly id: string }): number => counts.get(id) ?? 0;
  const most = Math.max(1, ...counts.values());
  return (
    <Card title="Events per page" broad>
      {pages.length === 0 && <p class="hint">This account has no pages yet.</p>}
      {pages
        .toSorted((one, other) => countOf(other) - countOf(one))
        .slice(0, 100)
        .map((page) => (
          <Bar
            key={page.id}
            label={<a href={linkTo({ view: "pages", id: page.id })}>{page.title}</a>}
            value={countOf(page).toLocaleString("en")}
            share={countOf(page) / most}
            kind="kept"
          />
        ))}
    </Card>
  );
}
