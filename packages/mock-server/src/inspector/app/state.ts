// What the page shows: where it stands (in the address), and the requests as they come.
import { effect, signal } from "@preact/signals";
import { ask, type ShortRequest, token } from "./api.ts";
import { readMatch } from "./match.ts";

/** The rooms of the page. */
export const rooms = ["requests", "pages", "account", "control"] as const;

/** A room of the page. */
export type Room = (typeof rooms)[number];

/** Where a person stands: all of it is in the address, so that it can be sent to others. */
export interface Place {
  readonly room: Room;
  /** Key or id of the account; empty for all. */
  readonly account: string;
  /** What is looked at: a request's or a page's identifier. */
  readonly id: string;
  /** Which requests are shown, as typed. */
  readonly filter: string;
}

/** Where a person stands now. */
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
export function linkTo(change: Partial<Place>): string {
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
/** How the stream stands. */
export const stream = signal<"connecting" | "live" | "down">("connecting");
/** Why the filter is none. */
export const filterProblem = signal("");
/** Grows when something happened that may have changed what accounts hold. */
export const changes = signal(0);

let incoming: ShortRequest[] = [];
let isFrameAsked = false;
const attempts = new Map<string, number>();

function take(name: string, list: readonly ShortRequest[]): void {
  if (name === "journal") {
    attempts.clear();
    incoming = [];
    requests.value = [];
  }
  for (const request of list) {
    const { idempotencyKey } = request;
    if (idempotencyKey !== undefined) {
      request.attempt = (attempts.get(idempotencyKey) ?? 0) + 1;
      attempts.set(idempotencyKey, request.attempt);
    }
    incoming.push(request);
  }
  if (isFrameAsked) return;
  isFrameAsked = true;
  // Once for all that came meanwhile; a hidden page has no frames.
  setTimeout(flush, document.hidden ? 1_000 : 50);
}

function flush(): void {
  isFrameAsked = false;
  requests.value = [...requests.value, ...incoming].slice(-mostShown);
  incoming = [];
  noteChange();
}

let isChangeNoted = false;
/** Has everything read anew, at most three times a second. */
export function noteChange(): void {
  if (isChangeNoted) return;
  isChangeNoted = true;
  setTimeout(() => {
    isChangeNoted = false;
    changes.value += 1;
  }, 300);
}

/** Keeps the stream of requests open, for the account and the filter of the place. */
export function watchRequests(): void {
  let asked: string | undefined;
  let ended = new AbortController();
  effect(() => {
    const { account, filter } = place.value;
    const wanted = JSON.stringify([account, filter, token.value]);
    if (wanted === asked) return;
    asked = wanted;
    ended.abort();
    ended = new AbortController();
    void keepOpen(account, filter, ended.signal);
  });
}

async function keepOpen(account: string, filter: string, ended: AbortSignal): Promise<void> {
  filterProblem.value = "";
  for (;;) {
    stream.value = "connecting";
    try {
      const match = { ...readMatch(filter), ...(account !== "" && { key: account }) };
      const query = `?match=${encodeURIComponent(JSON.stringify(match))}`;
      const response = await ask("GET", `/__mock/requests/live${query}`, undefined, { signal: ended });
      filterProblem.value = "";
      stream.value = "live";
      await readEvents(response);
    } catch (error) {
      if (ended.aborted) return;
      if (error instanceof Error && !(error instanceof TypeError)) filterProblem.value = error.message;
    }
    if (ended.aborted) return;
    stream.value = "down";
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (ended.aborted) return;
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
      take(name, JSON.parse(data) as ShortRequest[]); // why: the row `watchRequests` says so
    }
  }
}
