import * as z from "zod";
import { integer } from "../argument.ts";
import { planSchema } from "../state/limiter.ts";

/** An option of a command. */
export interface OptionRow {
  readonly type: "string" | "boolean";
  /** Whether it may be repeated. A variable separates the values by commas. */
  readonly multiple?: boolean;
  /** Parses the text of the option. */
  readonly schema: z.ZodType;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

const dialect = text("NAME|FILE", "what to do where the spec is silent: a preset or a dialect file");
const json = flag("print the report as JSON");

/** The options of each command: read by the parser and printed by `help`. */
export const commands = {
  serve: {
    summary: "Starts the mock server. This is the default command.",
    options: {
      port: option("PORT", numeral(0, 65_535), "port to listen on, 0 for a free one (default 4010)"),
      host: text("HOST", "interface to listen on (default 127.0.0.1: this machine only)"),
      "allowed-host": {
        ...option(
          "NAME",
          z.array(z.string()),
          "another host name by which clients may call the server; may be repeated",
        ),
        multiple: true,
      },
      token: text("TOKEN", "bearer token for the control API; required if other machines can connect"),
      seed: text("FILE", "state to start from: one JSON record per line; missing fields get values as in a create"),
      domains: text("FILE", "JSON file with a catalogue of domains (default: the shipped one)"),
      plan: option(
        "PLAN",
        planText(),
        "free, starter, pro, unlimited, or LIMIT/SECONDS such as 5/60 (default starter)",
      ),
      dialect,
      latency: option("MS", numeral(0, 2 ** 31 - 1), "milliseconds to wait before each response (default 0)"),
      "max-sandboxes": option(
        "NUMBER",
        numeral(1, 1_000_000),
        "most accounts opened by test_ keys; one more evicts the least recently used (default 5000)",
      ),
      log: option(
        "FORM",
        z.enum(["text", "json", "quiet"]),
        "text, json, or quiet: how to log requests (default text)",
      ),
      open: flag("open the inspector in the browser"),
      import: text("FILE", "like --seed; may be missing at first if --export-on-exit writes the same file"),
      "export-on-exit": text("FILE", "where to write the state on SIGINT, SIGTERM or SIGHUP"),
    },
  },
  check: {
    summary: "Checks which statements of the spec a real service fulfils, and what its responses look like.",
    options: {
      "base-url": text("URL", "the service to check (default: LANDING_PAGES_BASE_URL)"),
      "api-key": text("KEY", "key of a test account (default: LANDING_PAGES_API_KEY)"),
      "other-api-key": text("KEY", "key of a second account, to check that accounts cannot see each other"),
      json,
      "write-dialect": text("FILE", "write a dialect file, for serve --dialect FILE"),
      compare: text("FILE", "compare the service with this dialect file; exit with 1 if a response differs"),
      timeout: text("MS", "longest wait for one response in milliseconds (default 30000)"),
      "total-timeout": text("MS", "longest time for the whole check in milliseconds (default 600000)"),
      thorough: flag("create 21 pages, to check the default limit of a list"),
      yes: flag("check an account that already has pages"),
    },
  },
  sweep: {
    summary: "Runs a program once for every call it makes and every kind of failure: sweep -- npm run publish.",
    options: {
      timeout: option(
        "SECONDS",
        numeral(1, 86_400),
        "how long a run may take before it counts as hanging (default 60)",
      ),
      dialect,
      concurrency: option(
        "NUMBER",
        numeral(1, 1_000),
        "runs at the same time; use 1 if runs would disturb each other (default 4 per core, at most 16)",
      ),
      pairs: option("NUMBER", numeral(0, 1_000_000), "additional runs with two failures (default 0)"),
      "max-runs": option(
        "NUMBER",
        numeral(1, 1_000_000),
        "most runs; a sample is taken if there are more (default 2000)",
      ),
      "random-seed": option("NUMBER", numeral(0, 2 ** 31 - 1), "seed of everything random (default 1)"),
      json,
    },
  },
  openapi: {
    summary: "Prints an OpenAPI document of the service.",
    options: { dialect },
  },
} as const satisfies Record<string, { summary: string; options: Record<string, OptionRow> }>;

function option<Schema extends z.ZodType>(value: string, schema: Schema, help: string) {
  return { type: "string", value, schema, help } as const;
}

function text(value: string, help: string) {
  return option(value, z.string(), help);
}

function flag(help: string) {
  const schema = z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"], error: "expected true or false" });
  return { type: "boolean", schema, help } as const;
}

/** A whole number as a person writes it: digits only. */
function numeral(min: number, max: number) {
  const error = `expected an integer from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, { error }).transform(Number).pipe(integer(min, max));
}

function planText() {
  return z.string().transform((plan, context) => {
    const [, limit, seconds] = /^(\d+)\/(\d+)$/.exec(plan) ?? [];
    const window = { limit: Number(limit), windowMs: Number(seconds) * 1000 };
    const result = planSchema.safeParse(limit === undefined ? plan : window);
    if (result.success) return result.data;
    context.addIssue("expected free, starter, pro, unlimited, or LIMIT/SECONDS such as 5/60");
    return z.NEVER;
  });
}
