// Small components that every view uses.
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { call } from "./api.ts";
import { changes, goTo, route } from "./state.ts";

/** A message that disappears after a while. Screen readers announce it. */
export const notice = signal("");
let noticeTimer: ReturnType<typeof setTimeout> | undefined;

function show(text: string): void {
  notice.value = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (notice.value = ""), 4_000);
}

/** Runs an action and shows its message, or why it failed. */
function attempt(work: () => Promise<string | void>): void {
  work().then(
    (message) => message && show(message),
    (error: unknown) => show(tellProblem(error)),
  );
}

function tellProblem(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Data from the control API. */
export interface Read<Data> {
  readonly data: Data | undefined;
  readonly problem: string;
}

/**
 * Reads from the control API, and reads again after every change unless `isFixed`. With a `body` it sends a POST, and keeps the last
 * result until the next one arrives.
 */
export function useRead<Data>(
  path: string | undefined,
  { body, isFixed = false }: { body?: unknown; isFixed?: boolean } = {},
): Read<Data> {
  const nothing = { data: undefined, problem: "" };
  const read = useSignal<Read<Data> & { readonly of?: string }>(nothing);
  const wanted = useRef("");
  const key = JSON.stringify([path, body]);
  wanted.current = key;
  useEffect(() => {
    if (path === undefined) return;
    const settle = (next: Read<Data>): void => {
      if (wanted.current === key) read.value = { ...next, of: path };
    };
    call<Data>(body === undefined ? "GET" : "POST", path, body).then(
      (data) => settle({ data, problem: "" }),
      (error: unknown) => settle({ data: undefined, problem: tellProblem(error) }),
    );
  }, [key, isFixed ? 0 : changes.value]);
  return read.value.of === path ? read.value : nothing;
}

interface ActionProps {
  readonly children: ComponentChildren;
  /** Runs the action and returns a message. */
  readonly run: () => Promise<string | void>;
  /** Label for screen readers, if the text is not enough. */
  readonly label?: string;
}

/** A button that runs an action. It is disabled until the action has ended. */
export function Action({ children, run, label }: ActionProps) {
  const isBusy = useSignal(false);
  const work = async (): Promise<string | void> => {
    isBusy.value = true;
    return run().finally(() => (isBusy.value = false));
  };
  return (
    <button type="button" aria-label={label} disabled={isBusy.value} onClick={() => attempt(work)}>
      {children}
    </button>
  );
}

/** A button that copies a string. If the clipboard is not available, it shows the string instead. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const shown = useSignal("");
  const copy = (): Promise<string | void> =>
    navigator.clipboard.writeText(text()).then(
      () => "Copied.",
      () => void (shown.value = text()),
    );
  return (
    <>
      <Action run={copy}>{label}</Action>
      {shown.value !== "" && <textarea class="wide" readOnly aria-label={`${label}: text`} value={shown.value} />}
    </>
  );
}

interface FileButtonProps {
  readonly label: string;
  /** Accepted file name extensions. */
  readonly accept: string;
  readonly take: (text: string) => Promise<string | void>;
}

/** A button that reads a file. */
export function FileButton({ label, accept, take }: FileButtonProps) {
  const read = (input: HTMLInputElement): void => {
    const [file] = input.files ?? [];
    input.value = "";
    if (file !== undefined) attempt(async () => take(await file.text()));
  };
  return (
    <label class="button">
      {label}
      <input class="hidden" type="file" accept={accept} onChange={(event) => read(event.currentTarget)} />
    </label>
  );
}

interface FormProps {
  readonly label: string;
  /** Text of the submit button. */
  readonly button: string;
  readonly children: ComponentChildren;
  /** Runs the action with the values by field name, and returns a message. */
  readonly work: (fields: Record<string, string>) => Promise<string | void>;
  /** Whether fields and button are in one line. */
  readonly inline?: boolean;
}

/** A form with a submit button. */
export function Form({ label, button, children, work, inline = false }: FormProps) {
  const send = (event: Event): void => {
    event.preventDefault();
    attempt(() => work(readForm(event.currentTarget)));
  };
  return (
    <form class={inline ? "inline" : ""} aria-label={label} onSubmit={send}>
      {inline ? children : <div class="form">{children}</div>}
      <button class="primary" type="submit">
        {button}
      </button>
    </form>
  );
}

/** The values of a form by field name. */
export function readForm(form: EventTarget | null): Record<string, string> {
  return Object.fromEntries(new FormData(form as HTMLFormElement).entries()) as Record<string, string>; // why: events of forms only, and no form has a file
}

interface FieldProps {
  readonly label: string;
  /** Name of the value. */
  readonly name: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly type?: "text" | "number" | "password" | "datetime-local";
  /** Choices. With `onChoose` the caller controls the value. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly onChoose?: (value: string) => void;
  /** Visible lines. @defaultValue 1 */
  readonly rows?: number;
  readonly wide?: boolean;
}

/** A field of a form with its label: a choice, a text area or one line of text. */
export function Field({ label, value, type, options, onChoose, rows, wide = false, ...named }: FieldProps) {
  const kind = { type } as { type: "text" }; // why: preact has a type of its own for each kind of input
  return (
    <label class={wide ? "field wide" : "field"}>
      <span>{label}</span>
      {options ? (
        <select {...named} value={value} onChange={(event) => onChoose?.(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...named} rows={rows} defaultValue={value} />
      ) : (
        <input {...named} {...kind} min="0" step="1" defaultValue={value} />
      )}
    </label>
  );
}

interface CardProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Whether it uses the whole width. */
  readonly broad?: boolean;
}

/** A section of a view. */
export function Card({ title, children, broad = false }: CardProps) {
  return (
    <section class={broad ? "card broad" : "card"} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface ListAndDetailProps {
  /** Names of list and detail, such as `Pages` and `Page`. */
  readonly names: readonly [list: string, detail: string];
  readonly toolbar: ComponentChildren;
  readonly list: ComponentChildren;
  /** The detail. */
  readonly children: ComponentChildren;
}

/** A list with the detail of the selected item. A phone shows one of the two. */
export function ListAndDetail({ names: [listName, name], toolbar, list, children }: ListAndDetailProps) {
  const isChosen = route.value.id !== "";
  return (
    <main class={isChosen ? "split chosen" : "split"}>
      <section class="list" aria-label={listName}>
        <div class="toolbar">{toolbar}</div>
        {list}
      </section>
      <section class="detail" aria-label={name}>
        {isChosen && (
          <button type="button" class="back" onClick={() => goTo({ id: "" })}>
            Back to the list
          </button>
        )}
        {children}
      </section>
    </main>
  );
}

/** A list of names and values, without empty values. */
export function Values({ rows }: { readonly rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <table>
      <tbody>
        {rows.map(
          ([name, value]) =>
            value !== undefined && (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}

/** Properties of a bar. */
export interface BarProps {
  readonly label: ComponentChildren;
  readonly note?: string;
  readonly value: string;
  /** Length as a share of the longest bar, 0 to 1. */
  readonly share: number;
  readonly kind: "kept" | "term" | "near";
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

/** A number with its noun. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

const dateTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A timestamp with its date. */
export function formatDateTime(ms: number): string {
  return Number.isFinite(ms) ? dateTime.format(ms) : "";
}

/** A body in readable form: JSON with line breaks, other text unchanged. */
export function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

/** Quotes a string as one word of a shell command. */
export function quote(text: string): string {
  return /^[\w/.:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The header that names an account, as one word of a shell command. The account may come from an untrusted link. */
export function quoteAuthorization(account: string): string {
  return quote(`Authorization: Bearer ${/^[\x21-\x7e]+$/.test(account) ? account : "test_demo"}`);
}
