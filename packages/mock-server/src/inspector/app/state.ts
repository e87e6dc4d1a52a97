// State of the page: the view (in the address), and the requests as they arrive.
import { computed, effect, signal, untracked } from "@preact/signals";
import { ask, isTokenWanted, Refusal, type ShortRequest, token, underWay } from "./api.ts";
import { readMatch } from "./match.ts";

const rooms = ["requests", "pages", "account", "control"] as const;

/** The current view. All of it is in the address, so that a link to it can be shared. */
export interface Place {
  readonly room: (typeof rooms)[number];
  /** Key or id of the account; empty for all. */
  readonly account: string;
  /** What is looked at: a request's or a page's identifier. */
  readonly id: string;
  /** Which requests are shown, as typed. */
  readonly filter: string;
}

/** The current view. */
export const place = signal(readPlace());
addEventListener("hashchange", () => {
  place.value = readPlace();
});

function readPlace(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parameters = new URLSearchParams(query);
  return {
    room: rooms.find((room) => room === path) ?? "requests",
    account: parameters.get("account") ?? "",
    id: parameters.get("id") ?? "",
    filter: parameters.get("filter") ?? "",
  };
}

/** The address of a place that differs from the present one. */
export function linkTo(change: Partial<Record<keyof Place, string>>): string {
  const { room, ...rest } = { ...place.value, ...change };
  const parameters = new URLSearchParams(Object.entries(rest).filter(([, value]) => value !== ""));
  return `#/${room}${parameters.size > 0 ? `?${parameters}` : ""}`;
}

/** Goes there; `isStep` makes it a step that "back" takes back. */
export function goTo(change: Partial<Place>, isStep = false): void {
  const url = linkTo(change);
  if (isStep) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  place.value = readPlace();
}

/** Most requests that are shown. */
const mostShown = 20_000;

/** Requests, oldest first. */
export const requests = signal<readonly ShortRequest[]>([]);
/** State of the event stream; `refused` if the server wants another filter, or a token. */
export const stream = signal<"connecting" | "live" | "down" | "refused">("connecting");
/** Why the filter is not valid. */
export const filterProblem = signal("");
/** Grows when something happened that may have changed what accounts hold. */
export const changes = signal(0);

/** Has everything read anew, at most three times a second, and not before the last reading is over. */
export const noteChange: () => void = throttle(300, () => (underWay > 0 ? noteChange() : (changes.value += 1)));

let received: readonly ShortRequest[] = [];
const show = throttle(50, () => {
  received = received.slice(-mostShown);
  requests.value = received;
  noteChange();
});

/** Does the work after a while, and once however often it is asked for meanwhile. */
function throttle(delayMs: number, work: () => unknown): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    setTimeout(() => {
      isAsked = false;
      work();
    }, delayMs);
  };
}

/** Whether anybody can see the page: a browser opens six connections to a server, and forgotten tabs would take them all. */
const isSeen = signal(!document.hidden);
addEventListener("visibilitychange", () => (isSeen.value = !document.hidden));
// Clocks move, and rate windows end, without a request.
setInterval(() => isSeen.value && noteChange(), 1_000);

const account = computed(() => place.value.account);
const filter = computed(() => place.value.filter);

/** Keeps the stream of requests open while the page is seen, for the account and the filter of the place. */
export function watchRequests(): void {
  effect(() => {
    const ended = new AbortController();
    const open = keepOpen.bind(undefined, account.value, filter.value, ended.signal);
    // With another token, it is opened anew.
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
      const list = JSON.parse(data) as ShortRequest[]; // why: the row `watchRequests` says so
      received = name === "journal" ? list : received.concat(list);
      show();
    }
  }
}
