import { render } from "preact";
import { useEffect } from "preact/hooks";
import { AccountRoom } from "./account.tsx";
import { type AccountSummary, isTokenWanted, keepToken, token } from "./api.ts";
import { ControlRoom } from "./control.tsx";
import { PagesRoom } from "./pages.tsx";
import { notice, submit, TextField, useRead } from "./parts.tsx";
import { RequestsRoom } from "./requests.tsx";
import { goTo, linkTo, place, type Room, rooms, stream, watchRequests } from "./state.ts";

const names: Record<Room, string> = { requests: "Requests", pages: "Pages", account: "Account", control: "Control" };

function App() {
  return (
    <>
      <header class="top">
        <h1>
          Landing Page Service <small>mock</small>
        </h1>
        <nav aria-label="Views">
          {rooms.map((room) => (
            <a key={room} href={linkTo({ room, id: "" })} aria-current={place.value.room === room ? "page" : undefined}>
              {names[room]}
            </a>
          ))}
        </nav>
        <AccountPicker />
        <span class={`stream ${stream.value}`} role="status">
          {streamNames[stream.value]}
        </span>
      </header>
      {isTokenWanted.value ? <TokenForm /> : <CurrentRoom />}
      <div class="notice" role="status" aria-live="polite">
        {notice.value}
      </div>
    </>
  );
}

const streamNames = { live: "Live", connecting: "Connecting", down: "Disconnected", refused: "Paused" };

function CurrentRoom() {
  const { room, account } = place.value;
  // A room begins anew with another account: nothing typed for one is sent to the other.
  if (room === "pages") return <PagesRoom key={account} />;
  if (room === "account") return <AccountRoom key={account} />;
  if (room === "control") return <ControlRoom key={account} />;
  return <RequestsRoom />;
}

function AccountPicker() {
  const { data } = useRead<{ data: AccountSummary[] }>("accounts", { everyMs: 2_000 });
  const { account } = place.value;
  const known = data?.data.map((summary) => summary.account) ?? [];
  const all = account === "" || known.includes(account) ? known : [...known, account];
  return (
    <label class="picker">
      <span class="hidden">Account</span>
      <select value={account} onChange={(event) => goTo({ account: event.currentTarget.value, id: "" }, true)}>
        <option value="">All accounts</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function TokenForm() {
  return (
    <main class="single">
      <form class="card narrow" onSubmit={submit(async ({ token = "" }) => keepToken(token.trim()))}>
        <h2>Token</h2>
        <p>
          This server was started with a token (<code>--token</code>). Enter it here.
        </p>
        {token.value !== "" && (
          <p class="problem" role="alert">
            Wrong token.
          </p>
        )}
        <TextField label="Token" name="token" type="password" />
        <button class="primary" type="submit">
          Open
        </button>
      </form>
    </main>
  );
}

function Shell() {
  useEffect(watchRequests, []);
  return <App />;
}

render(<Shell />, document.body);
