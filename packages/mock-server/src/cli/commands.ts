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

const dialect = text("NAME|FILE", "dialect where the spec is silent: a preset or a JSON file");
const json = flag("print the report as JSON");

/** The options of each command: read by the parser and printed by `help`. */
export const commands = {
  serve: {
    summary: "Starts the service on a port. This is what happens when no command is given.",
    options: {
      port: option("PORT", numeral(0, 65_535), "port to listen on, 0 for a free one (default 4010)"),
      host: text("HOST", "interface to listen on (default 127.0.0.1: this machine only)"),
      "allowed-host": {
        ...option("NAME", z.array(z.string()), "further host name that requests may be addressed to; may be repeated"),
        multiple: true,
      },
      token: text("TOKEN", "what callers of the control API must send; needed with other hosts"),
      seed: text(
        "FILE",
        "state to start from, one JSON record per line; what is left out is made as a create makes it",
      ),
      domains: text("FILE", "JSON with the catalogue of domains (default: the shipped one)"),
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
        "sandboxes kept at a time; one more evicts the one unused for longest (default 5000)",
      ),
      log: option(
        "FORM",
        z.enum(["text", "json", "quiet"]),
        "a line per request as text or json, or quiet for none (default text)",
      ),
      open: flag("open the inspector in the browser"),
      import: text("FILE", "as --seed; a file that --export-on-exit writes may be missing the first time"),
      "export-on-exit": text("FILE", "where to write the state when stopped by SIGINT, SIGTERM or SIGHUP"),
    },
  },
  check: {
    summary: "Finds out which documented statements hold on a real service, and which dialect it speaks.",
    options: {
      "base-url": text("URL", "the service to look at (default: LANDING_PAGES_BASE_URL)"),
      "api-key": text("KEY", "key of an account to use (default: LANDING_PAGES_API_KEY)"),
      "other-api-key": text("KEY", "key of a second account, to see whether accounts are apart"),
      json,
      "write-dialect": text("FILE", "write the dialect that was observed, for serve --dialect FILE"),
      compare: text("FILE", "end with 1 when the service no longer speaks as this dialect says, naming each place"),
      timeout: text("MS", "longest wait for one response, milliseconds (default 30000)"),
      "total-timeout": text("MS", "longest time for the whole check (default 600000)"),
      thorough: flag("make 21 pages, to see the default limit at work"),
      yes: flag("go on although the account already holds pages"),
    },
  },
  sweep: {
    summary:
      "Runs a command once for every call it makes and everything that can happen to one: sweep -- npm run publish.",
    options: {
      timeout: option(
        "SECONDS",
        numeral(1, 86_400),
        "how long the command may take before it counts as hanging (default 60)",
      ),
      dialect,
      concurrency: option(
        "NUMBER",
        numeral(1, 1_000),
        "runs at the same time; 1 for a command whose runs would disturb each other (default 4 per core, at most 16)",
      ),
      pairs: option("NUMBER", numeral(0, 1_000_000), "further runs in which two things happen (default 0)"),
      "max-runs": option("NUMBER", numeral(1, 1_000_000), "most runs; of more, a sample is made (default 2000)"),
      "random-seed": option("NUMBER", numeral(0, 2 ** 31 - 1), "decides what is drawn at random (default 1)"),
      json,
    },
  },
  openapi: {
    summary: "Prints the OpenAPI document of the service.",
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
