import { useEffect } from "preact/hooks";
import type { PageRecord } from "@landing-page-service/contract";
import type { Assignment } from "../../domains/assignment.ts";
import { type Answers, ask, forAccount } from "./api.ts";
import { Action, count, formatDateTime, ListAndDetail, quote, quoteAuthorization, useRead } from "./parts.tsx";
import { previewDocument } from "./preview.ts";
import { goTo, linkTo, noteChange, route } from "./state.ts";
import { DryRun, Why } from "./why.tsx";

const mostCards = 500;

/** The view of an account's pages, with the reasons for their domains. */
export function PagesView() {
  const { account, id } = route.value;
  const { data, problem } = useRead<Answers["pages"]>(account === "" ? undefined : forAccount("pages", account));
  if (account === "") return <ChooseAccount />;
  const pages = data?.data ?? [];
  const page = pages.find((page) => page.id === id);
  const toolbar = (
    <>
      <a class="button" href={linkTo({ id: "try" })}>
        Try a page
      </a>
      <span class="count">{data && count(pages.length, "page")}</span>
    </>
  );
  const list = (
    <div class="cards scrolls">
      {problem !== "" && <p class="problem">{problem}</p>}
      {data && pages.length === 0 && <NoPage account={account} />}
      {pages
        .toReversed()
        .slice(0, mostCards)
        .map((page) => (
          <PageCard key={page.id} page={page} isChosen={page.id === id} />
        ))}
      {pages.length > mostCards && <p class="hint">The {mostCards} newest are shown.</p>}
    </div>
  );
  return (
    <ListAndDetail names={["Pages", "Page"]} toolbar={toolbar} list={list}>
      {page && <PageDetail key={page.id} page={page} />}
      {(id === "try" || id === "") && <DryRun />}
      {id !== "" && id !== "try" && data && page === undefined && <p class="hint">This account has no page {id}.</p>}
    </ListAndDetail>
  );
}

/** Lets a person choose an account if the view needs one. A single account opens by itself. */
export function ChooseAccount() {
  const { data } = useRead<Answers["accounts"]>("accounts");
  const accounts = data?.data ?? [];
  useEffect(() => {
    if (data !== undefined && accounts.length <= 1) goTo({ account: accounts[0]?.account ?? "test_demo" });
  }, [data]);
  return (
    <main class="single">
      <h2>Choose an account</h2>
      <div class="cards">
        {accounts.map(({ account, pages, events }) => (
          <a key={account} class="card" href={linkTo({ account })}>
            <strong>{account}</strong>
            <span class="hint">
              {count(pages, "page")}, {count(events, "event")}
            </span>
          </a>
        ))}
      </div>
    </main>
  );
}

const examplePage =
  '{"title":"Tea in Kyoto","content":"An afternoon.","slug":"tea","cta":{"type":"button","label":"Book","url":"https://tea.example/"}}';

function NoPage({ account }: { readonly account: string }) {
  return (
    <div class="empty hint">
      <p>No pages yet. Create one:</p>
      <pre>{`curl ${location.origin}/api/content \\\n  -H ${quoteAuthorization(account)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quote(examplePage)}`}</pre>
    </div>
  );
}

function PageCard({ page, isChosen }: { readonly page: PageRecord; readonly isChosen: boolean }) {
  return (
    <a class="card" href={linkTo({ id: page.id })} aria-current={isChosen ? "true" : undefined}>
      <strong dir="auto">{page.title}</strong>
      <span class="hint" dir="auto">
        /{page.slug}
      </span>
      <span class="buttons">
        {page.domains?.map(({ name }) => (
          <span key={name} class="mark">
            {name}
          </span>
        ))}
      </span>
    </a>
  );
}

function PageDetail({ page }: { readonly page: PageRecord }) {
  const { account } = route.value;
  const why = useRead<Assignment>(forAccount(`assignments/${encodeURIComponent(page.id)}`, account));
  const events = useRead<Answers["events"]>(forAccount("events", account));
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
        {account.startsWith("test_") ? (
          <Action run={() => recordView(page.id, account)}>Record a view</Action>
        ) : (
          <span class="hint">Record views with a key of this account.</span>
        )}
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

/** Records a view through the API, as a page does, so that the rate limit and faults apply. */
async function recordView(pageId: string, account: string): Promise<string> {
  const timestamp = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const headers = { Authorization: `Bearer ${account}`, "Content-Type": "application/json" };
  await ask("POST", "/api/analytics/view", JSON.stringify({ pageId, timestamp }), { headers }).finally(noteChange);
  return "View recorded.";
}
