// Small parts that every room uses.
import { signal, useSignal } from "@preact/signals";
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
      // Meanwhile another path was requested.
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

interface FieldProps {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

/** A field with its name above it. */
function Field({ label, children, wide = false }: FieldProps) {
  return (
    <label class={wide ? "field wide" : "field"}>
      <span>{label}</span>
      {children}
    </label>
  );
}

interface TextFieldProps {
  readonly label: string;
  /** What the form's values call it. */
  readonly name: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly type?: "text" | "number" | "password" | "datetime-local";
  /** Lines that are shown; one where left out. */
  readonly rows?: number;
  readonly wide?: boolean;
}

/** A field of text. Its form reads it. */
export function TextField({ label, name, value, placeholder, type = "text", rows, wide = false }: TextFieldProps) {
  const shared = { name, placeholder, defaultValue: value };
  const kind = { type } as { type: "text" }; // why: preact has a type of its own for each kind of input
  return (
    <Field label={label} wide={wide}>
      {rows === undefined ? <input {...shared} {...kind} min="0" step="1" /> : <textarea {...shared} rows={rows} />}
    </Field>
  );
}

/** Sends a form: reads its fields by their names, does the work with them and shows the result. */
export function submit(work: (values: Record<string, string>) => Promise<string | void>): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    attempt(() => work(readForm(event.currentTarget)));
  };
}

/** The values of a form's fields, by their names. */
export function readForm(form: EventTarget | null): Record<string, string> {
  return Object.fromEntries(new FormData(form as HTMLFormElement).entries()) as Record<string, string>; // why: events of forms only, and no form has a file
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  /** The chosen one, where the caller decides it. */
  readonly value?: string;
  readonly onChoose?: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** One of several. */
export function Choice({ label, name, value, onChoose, options }: ChoiceProps) {
  return (
    <Field label={label}>
      <select name={name} value={value} onChange={(event) => onChoose?.(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface BarProps {
  readonly label: ComponentChildren;
  readonly note?: string;
  readonly value: string;
  /** Part of the longest bar, 0 to 1. */
  readonly share: number;
  readonly kind: "kept" | "term" | "near" | "rejected";
}

/** A number with its bar. */
export function Bar({ label, note = "", value, share, kind }: BarProps) {
  return (
    <div class={`bar ${kind}`}>
      <span class="label" dir="auto">
        {label}
        {note !== "" && <small>{note}</small>}
      </span>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
      </span>
      <span class="value">{value}</span>
    </div>
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
