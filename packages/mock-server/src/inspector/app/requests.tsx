import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ShortRequest } from "./api.ts";
import { RequestDetail } from "./request-detail.tsx";
import { formatTime, quoteAuthorization } from "./parts.tsx";
import { filterProblem, goTo, place, requests, stream } from "./state.ts";

/** Requests as they come, newest first. */
export function RequestsRoom() {
  const { id } = place.value;
  return (
    <main class={id === "" ? "split" : "split chosen"}>
      <section class="list" aria-label="Requests">
        <Filter />
        {requests.value.length > 0 ? <RequestList /> : <NoRequest />}
      </section>
      <section class="detail" aria-label="Request">
        {id === "" ? (
          <p class="hint">Select a request to see its headers and bodies.</p>
        ) : (
          <RequestDetail key={id} id={id} />
        )}
      </section>
    </main>
  );
}

function Filter() {
  const typed = useSignal(place.value.filter);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const apply = (text: string): void => {
    typed.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => goTo({ filter: text.trim() }), 250);
  };
  const { length } = requests.value;
  return (
    <div class="toolbar">
      <input
        type="search"
        aria-label="Filter requests"
        placeholder="Filter: status:500 endpoint:listPages body.slug:tea"
        list="filters"
        value={typed.value}
        onInput={(event) => apply(event.currentTarget.value)}
      />
      <datalist id="filters">
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <span class="count">{length === 1 ? "1 request" : `${length.toLocaleString("en")} requests`}</span>
      <p class="problem over" role="alert">
        {filterProblem.value}
      </p>
    </div>
  );
}

const suggestions = [
  ...["createPage", "listPages", "updatePage", "deletePage", "trackEvent"].map((name) => `endpoint:${name}`),
  ...["200", "400", "401", "404", "429", "500"].map((status) => `status:${status}`),
  "method:POST",
  "path:/api/content",
];

function NoRequest() {
  const { filter, account } = place.value;
  if (stream.value === "refused") return null;
  if (stream.value !== "live") return <p class="empty">Waiting for the server.</p>;
  if (filter !== "") return <p class="empty">No request matches the filter.</p>;
  return (
    <div class="empty">
      <p>No requests yet. Send one:</p>
      <pre>{`curl -H ${quoteAuthorization(account)} ${location.origin}/api/content`}</pre>
    </div>
  );
}

const narrow = matchMedia("(max-width: 700px)");

/** A virtual list: only the visible rows are drawn. */
function RequestList() {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(800);
  const rowHeight = useSignal(narrow.matches ? 60 : 38);
  const list = requests.value;
  const total = list.length;
  useLayoutEffect(() => {
    const measure = (): void => {
      height.value = scroller.current?.clientHeight ?? 800;
      rowHeight.value = narrow.matches ? 60 : 38;
    };
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  useSteadyScroll(scroller, list, rowHeight.value);

  const first = Math.max(0, Math.floor(top.value / rowHeight.value) - 8);
  const last = Math.min(total, first + Math.ceil(height.value / rowHeight.value) + 16);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  const { id } = place.value;
  return (
    <div
      class={place.value.account === "" ? "rows" : "rows one"}
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label="Requests, newest first"
      aria-activedescendant={id === "" ? undefined : `row-${id}`}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
      onKeyDown={(event) => moveBy(event, scroller.current, rowHeight.value)}
    >
      <div class="all" role="presentation" style={{ height: `${total * rowHeight.value}px` }}>
        {shown.map((index) => {
          const request = list[total - 1 - index];
          return (
            request && <Row key={request.id} request={request} y={index * rowHeight.value} place={[index + 1, total]} />
          );
        })}
      </div>
    </div>
  );
}

/** Keeps the visible rows in place while new ones arrive above them. */
function useSteadyScroll(
  scroller: { readonly current: HTMLDivElement | null },
  list: readonly ShortRequest[],
  rowHeight: number,
): void {
  const newest = useRef<string>(undefined);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    const before = newest.current;
    newest.current = list.at(-1)?.id;
    if (element === null || before === undefined || element.scrollTop < rowHeight / 2) return;
    const index = list.findLastIndex(({ id }) => id === before);
    if (index >= 0) element.scrollTop += (list.length - 1 - index) * rowHeight;
  }, [list]);
}

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
};

function moveBy(event: KeyboardEvent, scroller: HTMLElement | null, rowHeight: number): void {
  if (event.key === "Escape") goTo({ id: "" });
  const step = steps[event.key];
  if (step === undefined || scroller === null) return;
  event.preventDefault();
  const list = requests.value;
  const chosen = list.findLastIndex(({ id }) => id === place.value.id);
  const index = chosen === -1 ? Math.max(step, 0) - 1 : list.length - 1 - chosen + step;
  const next = Math.min(Math.max(index, 0), list.length - 1);
  const y = next * rowHeight;
  if (y < scroller.scrollTop) scroller.scrollTop = y;
  const below = y + rowHeight - scroller.clientHeight;
  if (below > scroller.scrollTop) scroller.scrollTop = below;
  goTo({ id: list[list.length - 1 - next]?.id ?? "" });
}

interface RowProps {
  readonly request: ShortRequest;
  readonly y: number;
  readonly place: readonly [position: number, total: number];
}

function Row({ request, y, place: [position, total] }: RowProps) {
  const { id, method, path, query, status, durationMs, startedAtMs, account, fault, wire } = request;
  const outcome = wire ?? status ?? "aborted";
  const isChosen = place.value.id === id;
  return (
    <div
      id={`row-${id}`}
      role="option"
      aria-selected={isChosen}
      aria-setsize={total}
      aria-posinset={position}
      class="row"
      style={{ transform: `translateY(${y}px)` }}
      onClick={() => goTo({ id }, narrow.matches)}
    >
      <span class="method">{method}</span>
      <span class="path" title={path}>
        {path}
        {query !== "" && <span class="query">?{query}</span>}
      </span>
      <span class="marks">
        {request.attempt !== undefined && request.attempt > 1 && <span class="mark">attempt {request.attempt}</span>}
        {fault !== undefined && <span class="mark fault">fault</span>}
      </span>
      <span class={`status s${wire ? 5 : Math.floor((status ?? 400) / 100)}`}>{outcome}</span>
      <span class="ms">{durationMs.toFixed(0)} ms</span>
      <span class="who">{account ?? "no account"}</span>
      <span class="when">{formatTime(startedAtMs)}</span>
    </div>
  );
}
