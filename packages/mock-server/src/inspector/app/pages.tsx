import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PageRecord } from "@landing-page-service/contract";
import type { Assignment } from "../../domains/assignment.ts";
import { type AccountSummary, ask, forAccount } from "./api.ts";
import { DryRun } from "./dry-run.tsx";
import { attempt, formatDateTime, quote, quoteAuthorization, useRead } from "./parts.tsx";
import { previewDocument } from "./preview.ts";
import { goTo, linkTo, noteChange, place } from "./state.ts";
import { Why } from "./why.tsx";

/** The pages of an account, and why each has its domains. */
export function PagesRoom() {
  const { account, id } = place.value;
  const { data, problem } = useRead<{ data: PageRecord[] }>(account === "" ? undefined : forAccount("pages", account));
  if (account === "") return <ChooseAccount />;
  const page = data?.data.find((page) => page.id === id);
  return (
    <main class={id === "" ? "split even" : "split even chosen"}>
      <section class="list scrolls" aria-label="Pages">
        <div class="toolbar">
          <a class="button" href={linkTo({ id: "try" })}>
            Try a page
          </a>
          <span class="count">{data ? count(data.data.length, "page") : ""}</span>
        </div>
        {problem !== "" && <p class="problem">{problem}</p>}
        {data?.data.length === 0 && <NoPage account={account} />}
        <ul class="cards">
          {data?.data
            .toReversed()
            .slice(0, mostCards)
            .map((page) => (
              <PageCard key={page.id} page={page} isChosen={page.id === id} />
            ))}
        </ul>
        {data && data.data.length > mostCards && <p class="hint">The {mostCards} newest are shown.</p>}
      </section>
      <section class="detail" aria-label="Page">
        {id !== "" && (
          <button type="button" class="back" onClick={() => goTo({ id: "" })}>
            Back to the pages
          </button>
        )}
        {page && <PageDetail key={page.id} page={page} />}
        {(id === "try" || id === "") && <DryRun />}
        {id !== "" && id !== "try" && data && page === undefined && <p class="hint">This account has no page {id}.</p>}
      </section>
    </main>
  );
}

const mostCards = 500;

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Lets a person choose an account where a view needs one. A single account opens by itself. */
export function ChooseAccount() {
  const { data } = useRead<{ data: AccountSummary[] }>("accounts", { everyMs: 2_000 });
  const accounts = data?.data ?? [];
  useEffect(() => {
    if (data !== undefined && accounts.length <= 1) goTo({ account: accounts[0]?.account ?? "test_demo" });
  }, [data]);
  return (
    <main class="single">
      <h2>Choose an account</h2>
      <ul class="cards">
        {accounts.map(({ account, pages, events }) => (
          <li key={account}>
            <a class="card" href={linkTo({ account })}>
              <strong>{account}</strong>
              <span class="hint">
                {count(pages, "page")}, {count(events, "event")}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}

function NoPage({ account }: { readonly account: string }) {
  const body =
    '{"title":"Tea in Kyoto","content":"An afternoon.","slug":"tea","cta":{"type":"button","label":"Book","url":"https://tea.example/"}}';
  return (
    <div class="empty">
      <p>No pages yet. Create one:</p>
      <pre>{`curl ${location.origin}/api/content \\\n  -H ${quoteAuthorization(account)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quote(body)}`}</pre>
    </div>
  );
}

function PageCard({ page, isChosen }: { readonly page: PageRecord; readonly isChosen: boolean }) {
  return (
    <li>
      <a class="card" href={linkTo({ id: page.id })} aria-current={isChosen ? "true" : undefined}>
        <strong dir="auto">{page.title}</strong>
        <span class="hint" dir="auto">
          /{page.slug}
        </span>
        <span class="chips">
          {page.domains?.map(({ name }) => (
            <span key={name} class="chip">
              {name}
            </span>
          ))}
        </span>
      </a>
    </li>
  );
}

function PageDetail({ page }: { readonly page: PageRecord }) {
  const { account } = place.value;
  const why = useRead<Assignment>(forAccount(`assignments/${encodeURIComponent(page.id)}`, account));
  const events = useRead<{ data: { pageId: string }[] }>(forAccount("events", account));
  const views = events.data?.data.filter(({ pageId }) => pageId === page.id).length ?? 0;
  return (
    <>
      <h2 dir="auto">{page.title}</h2>
      <p class="hint">
        {page.id} · created {formatDateTime(Date.parse(page.created_at))} · {count(views, "event")}
      </p>
      <h3>Why these domains</h3>
      {why.data && <Why assignment={why.data} />}
      {why.problem !== "" && <p class="hint">{why.problem}</p>}
      <div class="between">
        <h3>Preview</h3>
        <RecordView pageId={page.id} account={account} />
      </div>
      <iframe
        class="preview"
        title={`Preview of ${page.title.slice(0, 100)}`}
        sandbox=""
        srcDoc={previewDocument(page)}
      />
    </>
  );
}

/** Records a view as a page does: by the API, so that the rate limit and faults apply. */
function RecordView({ pageId, account }: { readonly pageId: string; readonly account: string }) {
  const isBusy = useSignal(false);
  if (!account.startsWith("test_")) return <span class="hint">Record views with a key of this account.</span>;
  const record = async (): Promise<string> => {
    isBusy.value = true;
    try {
      const timestamp = new Date().toISOString().replace(/\.\d+Z$/, "Z");
      const headers = { Authorization: `Bearer ${account}`, "Content-Type": "application/json" };
      await ask("POST", "/api/analytics/view", JSON.stringify({ pageId, timestamp }), { headers });
      return "View recorded.";
    } finally {
      isBusy.value = false;
      noteChange();
    }
  };
  return (
    <button type="button" disabled={isBusy.value} onClick={() => attempt(record)}>
      Record a view
    </button>
  );
}
