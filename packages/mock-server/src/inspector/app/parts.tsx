// Small parts that every room uses.
import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { call } from "./api.ts";
import { changes } from "./state.ts";

/** A message that is shown for a while, and read out. */
export const notice = signal("");
let noticeTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message. */
export function notify(text: string): void {
  notice.value = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (notice.value = ""), 4_000);
}

/** Does something and shows its result, or why it failed. */
export function attempt(work: () => Promise<string | void>): void {
  work().then(
    (message) => message && notify(message),
    (error: unknown) => notify(error instanceof Error ? error.message : String(error)),
  );
}

/** Something that is read from the control API. */
export interface Read<Data> {
  readonly data: Data | undefined;
  readonly problem: string;
}

/** When something is read again: `everyMs` milliseconds, and `isFixed` where no change can concern it. */
interface Rereading {
  readonly everyMs?: number;
  readonly isFixed?: boolean;
}

/** Reads from the control API: now, when something changed, and every so many milliseconds; never twice at the same time. */
export function useRead<Data>(path: string | undefined, { everyMs, isFixed = false }: Rereading = {}): Read<Data> {
  const read = useSignal<Read<Data> & { path: string | undefined }>({ data: undefined, problem: "", path: undefined });
  const underWay = useRef<{ path: string; isStale: boolean }>(undefined);
  const again = useSignal(0);
  const change = isFixed ? 0 : changes.value;
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) again.value += 1;
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  useEffect(() => {
    if (path === undefined) return;
    if (underWay.current?.path === path) {
      underWay.current.isStale = true;
      return;
    }
    const asked = { path, isStale: false };
    underWay.current = asked;
    const settle = (next: Read<Data>): void => {
      // Another path is asked for since.
      if (underWay.current !== asked) return;
      underWay.current = undefined;
      read.value = { ...next, path };
      if (asked.isStale) again.value += 1;
    };
    call<Data>("GET", path).then(
      (data) => settle({ data, problem: "" }),
      (error: unknown) => settle({ data: undefined, problem: error instanceof Error ? error.message : String(error) }),
    );
  }, [path, change, again.value]);
  return read.value.path === path ? read.value : { data: undefined, problem: "" };
}

/** Copies a text. If the clipboard is not available, it shows the text instead. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const shown = useSignal("");
  const copy = async (): Promise<string | void> => {
    const content = text();
    try {
      await navigator.clipboard.writeText(content);
      return "Copied.";
    } catch {
      shown.value = content;
    }
  };
  return (
    <>
      <button type="button" onClick={() => attempt(copy)}>
        {label}
      </button>
      {shown.value !== "" && (
        <textarea
          class="wide"
          readOnly
          aria-label={`${label}: text`}
          value={shown.value}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  );
}

/** A field with its name above it. */
export function Field({
  label,
  children,
  wide = false,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}) {
  return (
    <label class={wide ? "field wide" : "field"}>
      <span>{label}</span>
      {children}
    </label>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly placeholder?: string;
  readonly type?: "text" | "number" | "password";
  /** Lines that are shown; one where left out. */
  readonly rows?: number;
  readonly wide?: boolean;
}

/** A field of text that writes into a signal. */
export function TextField({ label, value, placeholder = "", type = "text", rows, wide = false }: TextFieldProps) {
  const shared = { placeholder, value: value.value };
  return (
    <Field label={label} wide={wide}>
      {rows !== undefined && (
        <textarea {...shared} rows={rows} onInput={(event) => (value.value = event.currentTarget.value)} />
      )}
      {rows === undefined && type === "number" && (
        <input {...shared} type="number" min="0" onInput={(event) => (value.value = event.currentTarget.value)} />
      )}
      {rows === undefined && type === "text" && (
        <input {...shared} type="text" onInput={(event) => (value.value = event.currentTarget.value)} />
      )}
      {rows === undefined && type === "password" && (
        <input {...shared} type="password" onInput={(event) => (value.value = event.currentTarget.value)} />
      )}
    </Field>
  );
}

/** One of several. */
export function Choice({
  label,
  value,
  onChoose,
  options,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dateTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A timestamp as the time of day. */
export function formatTime(ms: number): string {
  return Number.isFinite(ms) ? time.format(ms) : "";
}

/** A timestamp with its date. */
export function formatDateTime(ms: number): string {
  return Number.isFinite(ms) ? dateTime.format(ms) : "";
}

/** A body for people: JSON with line breaks, anything else as it is. */
export function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

/** One word of a shell command. */
export function quote(text: string): string {
  return /^[\w/.:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The header that names an account, as a word of a shell command. The account may come from a link that others have written. */
export function quoteAuthorization(account: string): string {
  return quote(`Authorization: Bearer ${/^[\x21-\x7e]+$/.test(account) ? account : "test_demo"}`);
}
