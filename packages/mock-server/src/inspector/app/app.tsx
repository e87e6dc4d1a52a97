import { render } from "preact";
import { AccountView } from "./account.tsx";
import { type Answers, isTokenWanted, keepToken, token } from "./api.ts";
import { ControlView } from "./control.tsx";
import { PagesView } from "./pages.tsx";
import { Card, Field, Form, notice, useRead } from "./parts.tsx";
import { RequestsView } from "./requests.tsx";
import { goTo, linkTo, route, stream, watchRequests } from "./state.ts";

const views = {
  requests: { name: "Requests", View: RequestsView },
  pages: { name: "Pages", View: PagesView },
  account: { name: "Account", View: AccountView },
  control: { name: "Control", View: ControlView },
};
const streamNames = { live: "Live", connecting: "Connecting", down: "Disconnected", refused: "Paused" };

function App() {
  const { view, account } = route.value;
  const { View } = views[view];
  return (
    <>
      <header class="top">
        <h1>
          Landing Page Service <small>mock</small>
        </h1>
        <nav aria-label="Views">
          {Object.entries(views).map(([name, entry]) => (
            <a key={name} href={linkTo({ view: name, id: "" })} aria-current={name === view ? "page" : undefined}>
              {entry.name}
            </a>
          ))}
        </nav>
        <AccountPicker />
        <span class={`stream ${stream.value}`} role="status">
          {streamNames[stream.value]}
        </span>
      </header>
      {/* Another account resets the view, so that nothing typed for one account goes to the other. */}
      {isTokenWanted.value ? <TokenForm /> : <View key={view === "requests" ? view : view + account} />}
      <div class="notice" role="status" aria-live="polite">
        {notice.value}
      </div>
    </>
  );
}

function AccountPicker() {
  const { data } = useRead<Answers["accounts"]>("accounts");
  const { account } = route.value;
  const names = new Set(["", ...(data?.data.map((known) => known.account) ?? []), account]);
  return (
    <select
      class="picker"
      aria-label="Account"
      value={account}
      onChange={(event) => goTo({ account: event.currentTarget.value, id: "" }, true)}
    >
      {[...names].map((name) => (
        <option key={name} value={name}>
          {name || "All accounts"}
        </option>
      ))}
    </select>
  );
}

function TokenForm() {
  return (
    <main class="single">
      <Card title="Token required">
        <p>
          This server was started with a token (<code>--token</code>). Enter it here.
        </p>
        {token.value !== "" && (
          <p class="problem" role="alert">
            Wrong token.
          </p>
        )}
        <Form label="Enter the token" button="Open" work={async ({ token = "" }) => keepToken(token.trim())} inline>
          <Field label="Token" name="token" type="password" />
        </Form>
      </Card>
    </main>
  );
}

watchRequests();
render(<App />, document.body);
