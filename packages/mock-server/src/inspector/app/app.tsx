import { render } from "preact";
import { AccountRoom } from "./account.tsx";
import { type Answers, isTokenWanted, keepToken, token } from "./api.ts";
import { ControlRoom } from "./control.tsx";
import { PagesRoom } from "./pages.tsx";
import { Card, Field, Form, notice, useRead } from "./parts.tsx";
import { RequestsRoom } from "./requests.tsx";
import { goTo, linkTo, place, stream, watchRequests } from "./state.ts";

const rooms = {
  requests: { name: "Requests", Room: RequestsRoom },
  pages: { name: "Pages", Room: PagesRoom },
  account: { name: "Account", Room: AccountRoom },
  control: { name: "Control", Room: ControlRoom },
};
const streamNames = { live: "Live", connecting: "Connecting", down: "Disconnected", refused: "Paused" };

function App() {
  const { room, account } = place.value;
  const { Room } = rooms[room];
  return (
    <>
      <header class="top">
        <h1>
          Landing Page Service <small>mock</small>
        </h1>
        <nav aria-label="Views">
          {Object.entries(rooms).map(([name, view]) => (
            <a key={name} href={linkTo({ room: name, id: "" })} aria-current={name === room ? "page" : undefined}>
              {view.name}
            </a>
          ))}
        </nav>
        <AccountPicker />
        <span class={`stream ${stream.value}`} role="status">
          {streamNames[stream.value]}
        </span>
      </header>
      {/* Another account resets the view, so that nothing typed for one account goes to the other. */}
      {isTokenWanted.value ? <TokenForm /> : <Room key={room === "requests" ? room : room + account} />}
      <div class="notice" role="status" aria-live="polite">
        {notice.value}
      </div>
    </>
  );
}

function AccountPicker() {
  const { data } = useRead<Answers["accounts"]>("accounts");
  const { account } = place.value;
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
      <Card title="Token wanted">
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
