import type { Plan } from "../state/limiter.ts";

/** An option of a command. */
export interface OptionRow {
  readonly type: "string" | "boolean";
  /** Whether it may be repeated; in a variable the values are parted by commas. */
  readonly multiple?: boolean;
  /** The value that a text stands for; `undefined` when it stands for none. */
  readonly read?: (text: string) => unknown;
  /** What `read` takes, in words. */
  readonly expected?: string;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

/** What each command takes: read by the parser and printed by `help`. */
export const commands = {
  serve: {
    summary: "Starts the service on a port. This is what happens when no command is given.",
    options: {
      port: {
        type: "string",
        value: "PORT",
        ...wholeNumber(0, 65_535),
        help: "port to listen on, 0 for a free one (default 4010)",
      },
      host: { type: "string", value: "HOST", help: "interface to listen on (default 127.0.0.1: this machine only)" },
      "allowed-host": {
        type: "string",
        multiple: true,
        value: "NAME",
        help: "further host name that requests may be addressed to; may be repeated",
      },
      token: {
        type: "string",
        value: "TOKEN",
        help: "what callers of the control API must send; needed with other hosts",
      },
      seed: {
        type: "string",
        value: "FILE",
        help: "state to start from, one JSON record per line; what is left out is made as a create makes it",
      },
      domains: { type: "string", value: "FILE", help: "JSON with the catalogue of domains (default: the shipped one)" },
      plan: {
        type: "string",
        value: "PLAN",
        read: readPlan,
        expected: "free, starter, pro, unlimited, or LIMIT/SECONDS such as 5/60",
        help: "free, starter, pro, unlimited, or LIMIT/SECONDS such as 5/60 (default starter)",
      },
      dialect: {
        type: "string",
        value: "NAME|FILE",
        help: "how to speak where the spec is silent: a preset or a JSON file",
      },
      latency: {
        type: "string",
        value: "MS",
        ...wholeNumber(0, 2 ** 31 - 1),
        help: "milliseconds to wait before each answer (default 0)",
      },
      "max-sandboxes": {
        type: "string",
        value: "NUMBER",
        ...wholeNumber(1, 1_000_000),
        help: "sandboxes kept at a time; one more evicts the one unused for longest (default 5000)",
      },
      log: {
        type: "string",
        value: "FORM",
        read: readLogForm,
        expected: "text, json or quiet",
        help: "a line per request as text or json, or quiet for none (default text)",
      },
      open: { type: "boolean", help: "open the inspector in the browser" },
      import: {
        type: "string",
        value: "FILE",
        help: "as --seed; a file that --export-on-exit writes may be missing the first time",
      },
      "export-on-exit": {
        type: "string",
        value: "FILE",
        help: "where to write the state when stopped by SIGINT, SIGTERM or SIGHUP",
      },
    },
  },
  check: {
    summary: "Finds out which documented statements hold on a real service, and which readings it speaks.",
    options: {
      "base-url": { type: "string", value: "URL", help: "the service to look at (default: LANDING_PAGES_BASE_URL)" },
      "api-key": { type: "string", value: "KEY", help: "key of an account to use (default: LANDING_PAGES_API_KEY)" },
      "other-api-key": {
        type: "string",
        value: "KEY",
        help: "key of a second account, to see whether accounts are apart",
      },
      json: { type: "boolean", help: "print the report as JSON" },
      "write-dialect": { type: "string", value: "FILE", help: "write what was seen, for serve --dialect FILE" },
      compare: {
        type: "string",
        value: "FILE",
        help: "end with 1 when the service no longer speaks as this dialect says, naming each place",
      },
      timeout: { type: "string", value: "MS", help: "longest wait for one answer, milliseconds (default 30000)" },
      "total-timeout": { type: "string", value: "MS", help: "longest time for the whole check (default 600000)" },
      thorough: { type: "boolean", help: "make 21 pages, to see the default limit at work" },
      yes: { type: "boolean", help: "go on although the account already holds pages" },
    },
  },
  sweep: {
    summary:
      "Runs a command once for every call it makes and everything that can happen to one: sweep -- npm run publish.",
    options: {
      timeout: {
        type: "string",
        value: "SECONDS",
        ...wholeNumber(1, 86_400),
        help: "how long the command may take before it counts as hanging (default 60)",
      },
      dialect: { type: "string", value: "NAME|FILE", help: "how the service speaks: a preset or a JSON file" },
      pairs: {
        type: "string",
        value: "NUMBER",
        ...wholeNumber(0, 1_000_000),
        help: "further runs in which two things happen (default 0)",
      },
      "max-runs": {
        type: "string",
        value: "NUMBER",
        ...wholeNumber(1, 1_000_000),
        help: "most runs; of more, a sample is made (default 2000)",
      },
      "random-seed": {
        type: "string",
        value: "NUMBER",
        ...wholeNumber(0, 2 ** 31 - 1),
        help: "decides what is drawn at random (default 1)",
      },
      json: { type: "boolean", help: "print the report as JSON" },
    },
  },
  openapi: {
    summary: "Prints the OpenAPI document of the service.",
    options: {
      dialect: { type: "string", value: "NAME|FILE", help: "how the service speaks: a preset or a JSON file" },
    },
  },
} as const satisfies Record<string, { summary: string; options: Record<string, OptionRow> }>;

/** How requests are told on standard output. */
type LogForm = "text" | "json" | "quiet";

function wholeNumber(min: number, max: number) {
  return {
    read(text: string): number | undefined {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    expected: `a whole number from ${min} to ${max}`,
  };
}

function readPlan(text: string): Plan | undefined {
  if (text === "free" || text === "starter" || text === "pro" || text === "unlimited") return text;
  const [, limit, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text) ?? [];
  return limit === undefined ? undefined : { limit: Number(limit), windowMs: Number(seconds) * 1000 };
}

function readLogForm(text: string): LogForm | undefined {
  return text === "text" || text === "json" || text === "quiet" ? text : undefined;
}
