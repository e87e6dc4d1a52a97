// State of the inspector: the route, which is in the URL, and the requests as they arrive.
import { computed, effect, signal, untracked } from "@preact/signals";
import { ask, isTokenWanted, Refusal, type ShortRequest, token, inFlight } from "./api.ts";
import { readMatch } from "./match.ts";

const views = ["requests", "pages", "account", "control"] as const;

/** The view, the account and the selection. All of it is in the URL, so that people can share a link. */
export interface Route {
  readonly view: (typeof views)[number];
  /** Key or id of the account; empty for all. */
  readonly account: string;
  /** Id of the selected request or page. */
  readonly id: string;
  /** Filter of the requests, as typed. */
  readonly filter: string;
}

/** The current route. */
export const route = signal(readRoute());
addEventListener("hashchange", () => {
  route.value = readRoute();
});

function readRoute(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parameters = new URLSearchParams(query);
  return {
    view: views.find((view) => view === path) ?? "requests",
    account: parameters.get("account") ?? "",
    id: parameters.get("id") ?? "",
    filter: parameters.get("filter") ?? "",
  };
}

/** URL of the current route with changes. */
export function linkTo(change: Partial<Record<keyof Route, string>>): string {
  const { view, ...rest } = { ...route.value, ...change };
  const parameters = new URLSearchParams(Object.entries(rest).filter(([, value]) => value !== ""));
  return `#/${view}${parameters.size > 0 ? `?${parameters}` : ""}`;
}

/** Changes the route. With `isStep`, the browser's "back" undoes it. */
export function goTo(change: Partial<Route>, isStep = false): void {
  const url = linkTo(change);
  if (isStep) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  route.value = readRoute();
}

/** Most requests in the list. */
const mostShown = 20_000;

/** Requests, oldest first. */
export const requests = signal<readonly ShortRequest[]>([]);
/** State of the event stream; `refused` if the filter is not valid or a token is required. */
export const stream = signal<"connecting" | "live" | "down" | "refused">("connecting");
/** Why the filter is not valid. */
export const filterProblem = signal("");
/** Grows with every event that may have changed an account. */
export const changes = signal(0);

/** Reads all data again, at most three times a second, and not before the last calls have ended. */
export const noteChange: () => void = throttle(300, () => (inFlight > 0 ? noteChange() : (changes.value += 1)));

let received: readonly ShortRequest[] = [];
const show = throttle(50, () => {
  received = received.slice(-mostShown);
  requests.value = received;
  noteChange();
});

/** Runs the work after a delay. Further calls before that have no effect. */
function throttle(delayMs: number, work: () => unknown): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      work();
    }, delayMs);
  };
}

/** Whether the tab is visible. A browser opens six connections to a server, and hidden tabs would use them all. */
const isSeen = signal(!document.hidden);
addEventListener("visibilitychange", () => (isSeen.value = !document.hidden));
// Clocks advance and rate windows end without a request.
setInterval(() => isSeen.value && noteChange(), 1_000);

const account = computed(() => route.value.account);
const filter = computed(() => route.value.filter);

/** Keeps the event stream open while the tab is visible, for the account and the filter of the route. */
export function watchRequests(): void {
  effect(() => {
    const ended = new AbortController();
    const open = keepOpen.bind(undefined, account.value, filter.value, ended.signal);
    // A change of the token reopens the stream.
    if (isSeen.value && token.value !== undefined) void untracked(open);
    return () => ended.abort();
  });
}

async function keepOpen(account: string, filter: string, ended: AbortSignal): Promise<void> {
  filterProblem.value = "";
  while (!ended.aborted) {
    stream.value = "connecting";
    try {
      const match = { ...readMatch(filter), ...(account !== "" && { key: account }) };
      const query = `?match=${encodeURIComponent(JSON.stringify(match))}`;
      const response = await ask("GET", `/__mock/requests/live${query}`, undefined, { signal: ended });
      stream.value = "live";
      await readEvents(response);
    } catch (error) {
      if (ended.aborted) return;
      if (error instanceof Refusal) {
        stream.value = "refused";
        filterProblem.value = isTokenWanted.value ? "" : error.message;
        return;
      }
    }
    stream.value = "down";
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function readEvents(response: Response): Promise<void> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const [, name = "", data = "[]"] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      const list = JSON.parse(data) as ShortRequest[]; // why: the schema of `watchRequests`
      received = name === "journal" ? list : received.concat(list);
      show();
    }
  }
}
