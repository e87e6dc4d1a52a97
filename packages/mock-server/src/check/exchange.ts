// What is said to a service and what it answers, read with the reader that the SDK has too: nothing is known but the spec.
import {
  type Asked,
  findPage,
  findPages,
  type FoundList,
  type FoundPage,
  isObject,
  parseJson,
  readBody,
} from "@landing-page-service/contract";

/** A request and its answer, or why there was none. */
export interface Exchange {
  /** What was sent. */
  readonly request: {
    /** HTTP method. */
    readonly method: string;
    /** Scheme and host that were called. */
    readonly origin: string;
    /** Path and query. */
    readonly path: string;
    /** Headers, by lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
    /** Body; absent when there is none. */
    readonly body?: string;
  };
  /** What came back; `undefined` when nothing did. */
  readonly answer:
    | {
        /** HTTP status. */
        readonly status: number;
        /** Headers, by lower-case name. */
        readonly headers: Readonly<Record<string, string>>;
        /** Body, `""` when there is none; of a long one what tells of the check's own pages, and the beginning of the rest. */
        readonly body: string;
        /** Characters of the body as it came; absent when it is whole. */
        readonly abridgedFrom?: number;
      }
    | undefined;
  /** Why nothing came back; absent when something did. */
  readonly failure?: string;
}

/** Whether the service answered with success. */
export function hasSucceeded(exchange: Exchange | undefined): boolean {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
}

/** The body of an answer as JSON; `undefined` when it is none. */
function readJson(exchange: Exchange | undefined): unknown {
  const body = readBody(exchange?.answer?.body ?? "");
  return body.kind === "json" ? body.value : undefined;
}

/** The body of an answer as JSON, with its long numbers as numbers. */
export function plainJson(exchange: Exchange): unknown {
  return parseJson(exchange.answer?.body ?? "") ?? readJson(exchange);
}

/** The list in an answer. */
export function readListIn(exchange: Exchange | undefined): FoundList | undefined {
  if (exchange?.answer === undefined || !hasSucceeded(exchange)) return undefined;
  const answer = {
    status: exchange.answer.status,
    headers: new Headers(exchange.answer.headers),
    body: readJson(exchange),
  };
  const found = findPages(answer, { apiHost: new URL(exchange.request.origin).host }, exchange.answer.body);
  return found.kind === "list" ? found : undefined;
}

/** The single page in an answer, as far as the answer shows one: perhaps no more than its identifier. `sent` is what was sent of it, if not with this request. */
export function readPageIn(exchange: Exchange | undefined, sent?: Asked["sent"]): FoundPage | undefined {
  if (exchange?.answer === undefined || !hasSucceeded(exchange)) return undefined;
  const { method, path, body, origin } = exchange.request;
  const own = readBody(body ?? "");
  const asked: Asked = {
    apiHost: new URL(origin).host,
    sent: sent ?? (own.kind === "json" && isObject(own.value) ? own.value : undefined),
    ...(method === "PUT" && { id: decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) }),
  };
  const { status, headers } = exchange.answer;
  const json = readJson(exchange);
  // What a delete says of the page it took away may stand under a name that is none for a page.
  const [[name, only] = [], ...others] = method === "DELETE" && isObject(json) ? Object.entries(json) : [];
  const answer = { status, headers: new Headers(headers), body: json };
  if (name === undefined || !isObject(only) || others.length > 0) return findPage(answer, asked);
  const found = findPage({ ...answer, body: only }, asked);
  const around = `#/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const places = Object.entries(found.places).map(([part, place]) => [part, place.replace(/^#/, () => around)]);
  return { ...found, places: Object.fromEntries(places) as FoundPage["places"] }; // why: texts, as they were
}

/** The identifier of the page that a create made. */
export function createdId(exchange: Exchange | undefined): string | undefined {
  return readPageIn(exchange)?.page.id;
}

/** What stands last in an identifier such as `projects/x/pages/7`; the whole one where that is nothing that a path can end in. */
export function lastSegment(id: string): string {
  const [last = ""] = /[^/:#|]*$/.exec(id) ?? [];
  return ["", ".", ".."].includes(last) ? id : last;
}

/** Whether an identifier can be a number: digits that a number is written with, and not `0041`. */
export function isNumberId(id: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(id);
}

/** The value at a JSON pointer. */
export function valueAt(json: unknown, pointer: string): unknown {
  const steps = pointer.split("/").slice(1);
  return steps.reduce<unknown>((value, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name] // why: the line above has told
      : undefined;
  }, json);
}
