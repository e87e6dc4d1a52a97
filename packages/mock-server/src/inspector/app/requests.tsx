import { computed, signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ShortRequest } from "./api.ts";
import { endpointNames } from "./faults.tsx";
import { count, ListAndDetail, quoteAuthorization } from "./parts.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { filterProblem, goTo, route, requests, stream } from "./state.ts";

/** The requests as they arrive, newest first. */
export function RequestsView() {
  const { id } = route.value;
  const list = requests.value.length > 0 ? <RequestList /> : <NoRequest />;
  return (
    <ListAndDetail names={["Requests", "Request"]} toolbar={<Filter />} list={list}>
      {id === "" ? (
        <p class="hint">Select a request to see its headers and bodies.</p>
      ) : (
        <RequestDetail key={id} id={id} />
      )}
    </ListAndDetail>
  );
}

const suggestions = [
  ...endpointNames.map((name) => `endpoint:${name}`),
  ...[200, 400, 401, 404, 429, 500].map((status) => `status:${status}`),
  "method:POST",
  "path:/api/content",
];

function Filter() {
  const typed = useSignal(route.value.filter);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const apply = (text: string): void => {
    typed.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => goTo({ filter: text.trim() }), 250);
  };
  return (
    <>
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
      <span class="count">{count(requests.value.length, "request")}</span>
      <p class="problem over" role="alert">
        {filterProblem.value}
      </p>
    </>
  );
}

function NoRequest() {
  const { filter, account } = route.value;
  if (stream.value === "refused") return null;
  if (stream.value !== "live") return <p class="empty hint">Waiting for the server.</p>;
  if (filter !== "") return <p class="empty hint">No request matches the filter.</p>;
  return (
    <div class="empty hint">
      <p>No requests yet. Send one:</p>
      <pre>{`curl -H ${quoteAuthorization(account)} ${location.origin}/api/content`}</pre>
    </div>
  );
}

const size = signal({ width: innerWidth, height: innerHeight });
addEventListener("resize", () => (size.value = { width: innerWidth, height: innerHeight }));
const isNarrow = computed(() => size.value.width <= 700);
const rowHeight = computed(() => (isNarrow.value ? 60 : 38));

/** A virtual list, which renders only the visible rows. */
function RequestList() {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const list = requests.value;
  useSteadyScroll(scroller, list);
  const first = Math.max(0, Math.floor(top.value / rowHeight.value) - 8);
  const end = first + Math.ceil(size.value.height / rowHeight.value) + 16;
  const { id, account } = route.value;
  return (
    <div
      class={account === "" ? "rows" : "rows one"}
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label="Requests, newest first"
      aria-activedescendant={id === "" ? undefined : `row-${id}`}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
      onKeyDown={(event) => moveBy(event, scroller.current)}
    >
      <div
        role="presentation"
        style={{ height: `${(list.length - first) * rowHeight.value}px`, marginTop: `${first * rowHeight.value}px` }}
      >
        {list
          .toReversed()
          .slice(first, end)
          .map((request, index) => (
            <Row key={request.id} request={request} position={first + index + 1} total={list.length} />
          ))}
      </div>
    </div>
  );
}

/** Keeps the visible rows in place while new ones arrive above them. */
function useSteadyScroll(scroller: { readonly current: HTMLElement | null }, list: readonly ShortRequest[]): void {
  const newest = useRef<string>(undefined);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    const before = newest.current;
    newest.current = list.at(-1)?.id;
    if (element === null || before === undefined || element.scrollTop < rowHeight.value / 2) return;
    const index = list.findLastIndex(({ id }) => id === before);
    if (index >= 0) element.scrollTop += (list.length - 1 - index) * rowHeight.value;
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

function moveBy(event: KeyboardEvent, scroller: HTMLElement | null): void {
  if (event.key === "Escape") goTo({ id: "" });
  const step = steps[event.key];
  if (step === undefined || scroller === null) return;
  event.preventDefault();
  const list = requests.value;
  const chosen = list.findLastIndex(({ id }) => id === route.value.id);
  const index = chosen === -1 ? Math.max(step, 0) - 1 : list.length - 1 - chosen + step;
  const next = Math.min(Math.max(index, 0), list.length - 1);
  const y = next * rowHeight.value;
  if (y < scroller.scrollTop) scroller.scrollTop = y;
  const below = y + rowHeight.value - scroller.clientHeight;
  if (below > scroller.scrollTop) scroller.scrollTop = below;
  goTo({ id: list[list.length - 1 - next]?.id ?? "" });
}

interface RowProps {
  readonly request: ShortRequest;
  /** Position in the list, from 1. */
  readonly position: number;
  readonly total: number;
}

const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

function Row({ request, position, total }: RowProps) {
  const { id, method, path, query, status, durationMs, startedAtMs, account, fault, wire, attempt = 1 } = request;
  return (
    <div
      id={`row-${id}`}
      role="option"
      aria-selected={route.value.id === id}
      aria-setsize={total}
      aria-posinset={position}
      class="row"
      onClick={() => goTo({ id }, isNarrow.value)}
    >
      <span class="method">{method}</span>
      <span class="path" title={path}>
        {path}
        {query !== "" && <span class="hint">?{query}</span>}
      </span>
      <span class="marks">
        {attempt > 1 && <span class="mark">attempt {attempt}</span>}
        {fault !== undefined && <span class="mark bad">fault</span>}
      </span>
      <span class={`status s${wire ? 5 : Math.floor((status ?? 400) / 100)}`}>{wire ?? status ?? "aborted"}</span>
      <span class="ms">{durationMs.toFixed(0)} ms</span>
      <span class="hint when">{Number.isFinite(startedAtMs) ? time.format(startedAtMs) : ""}</span>
      <span class="hint who">{account ?? "no account"}</span>
    </div>
  );
}
