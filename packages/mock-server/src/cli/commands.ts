import * as z from "zod";
import { integer } from "../argument.ts";
import { allowedHostSchema, hostSchema } from "../http/request.ts";
import { tokenSchema } from "../state/accounts.ts";
import { type Plan, planSchema } from "../state/plan.ts";

/** The help for an option: a name for its value, if it has one, and a description. */
export const optionTexts = z.registry<{ value?: string; help: string }>();

const planForms = "free, starter, pro, unlimited, or LIMIT/SECONDS such as 5/60";
const dialect = option("NAME|FILE", "how the service responds: a dialect file, or a preset such as mongo-like");
const json = flag("print the report as JSON");
const amount = numeral(1, 1_000_000);
const milliseconds = numeral(1, 9_999_999);

/** The options of each command: read by the parser and printed by `help`. */
export const commands = {
  serve: {
    usage: "landing-pages-mock [serve] [OPTIONS]",
    summary: "Starts the mock server. This is the default command.",
    options: z.object({
      port: option("PORT", "port to listen on, 0 for a free one (default 4010)", numeral(0, 65_535)),
      host: option("HOST", "interface to listen on (default 127.0.0.1: this machine only)", hostSchema),
      "allowed-host": option(
        "NAME",
        "another host name by which clients may call the server; may be repeated",
        z.array(allowedHostSchema),
      ),
      token: option("TOKEN", "bearer token for the control API; required if other machines can connect", tokenSchema),
      seed: option("FILE", "state to start from: one JSON record per line"),
      domains: option("FILE", "JSON file with a catalogue of domains (default: the shipped one)"),
      plan: option("PLAN", `${planForms} (default starter)`, z.string().transform(readPlan)),
      dialect,
      latency: option("MS", "milliseconds to wait before each response (default 0)", numeral(0, 2 ** 31 - 1)),
      "max-sandboxes": option(
        "NUMBER",
        "most accounts opened by test_ keys; one more evicts the least recently used (default 5000)",
        amount,
      ),
      log: option(
        "FORM",
        "text, json, or quiet: how to log requests (default text)",
        z.enum(["text", "json", "quiet"]),
      ),
      open: flag("open the inspector in the browser"),
      import: option("FILE", "like --seed, but the file may be missing if --export-on-exit names it too"),
      "export-on-exit": option("FILE", "where to write the state on SIGINT, SIGTERM or SIGHUP"),
    }),
  },
  check: {
    usage: "landing-pages-mock check [OPTIONS]",
    summary: "Checks whether a service does what the spec says, and learns what its responses look like.",
    options: z.object({
      "base-url": option("URL", "the service to check (default: LANDING_PAGES_BASE_URL)"),
      "api-key": option("KEY", "key of a test account (default: LANDING_PAGES_API_KEY)"),
      "other-api-key": option("KEY", "key of a second account, to check that accounts cannot see each other"),
      json,
      "write-dialect": option("FILE", "write a dialect file, for serve --dialect FILE"),
      compare: option("FILE", "compare the service with this dialect file; exit with 1 if it behaves differently"),
      timeout: option("MS", "longest wait for one response in milliseconds (default 30000)", milliseconds),
      "total-timeout": option("MS", "longest time for the whole check in milliseconds (default 600000)", milliseconds),
      thorough: flag("create 21 pages, to check the default limit of a list"),
      yes: flag("check an account that already has pages"),
    }),
  },
  sweep: {
    usage: "landing-pages-mock sweep [OPTIONS] -- COMMAND",
    summary:
      "Runs a command once for each of its calls and each kind of failure, for example: sweep -- npm run publish",
    options: z.object({
      timeout: option(
        "SECONDS",
        "how long a run may take before it counts as hanging (default 60)",
        numeral(1, 86_400),
      ),
      dialect,
      concurrency: option(
        "NUMBER",
        "runs at the same time; use 1 if runs would disturb each other (default 4 per core, at most 16)",
        numeral(1, 1_000),
      ),
      pairs: option("NUMBER", "additional runs with two failures (default 0)", numeral(0, 1_000_000)),
      "max-runs": option("NUMBER", "most runs; if more are possible, the sweep takes a sample (default 2000)", amount),
      "random-seed": option("NUMBER", "seed of all random numbers (default 1)", numeral(0, 2 ** 31 - 1)),
      json,
    }),
  },
  openapi: {
    usage: "landing-pages-mock openapi [OPTIONS]",
    summary: "Prints an OpenAPI document of the service.",
    options: z.object({ dialect }),
  },
} as const;

/** Makes an option with a value. Without a schema, any text is valid. */
function option(value: string, help: string): z.ZodOptional<z.ZodString>;
function option<Schema extends z.ZodType>(value: string, help: string, schema: Schema): z.ZodOptional<Schema>;
function option(value: string, help: string, schema: z.ZodType = z.string()): z.ZodOptional<z.ZodType> {
  return schema.optional().register(optionTexts, { value, help });
}

/** Makes an option without a value. Its variable is true or false. */
function flag(help: string) {
  const schema = z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"], error: "expected true or false" });
  return schema.optional().register(optionTexts, { help });
}

/** An integer, written with digits only. */
function numeral(min: number, max: number) {
  const error = `expected an integer from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, { error }).transform(Number).pipe(integer(min, max));
}

function readPlan(plan: string, context: z.RefinementCtx): Plan {
  const [, limit, seconds] = /^(\d+)\/(\d+)$/.exec(plan) ?? [];
  const window = { limit: Number(limit), windowMs: Number(seconds) * 1000 };
  const result = planSchema.safeParse(limit === undefined ? plan : window);
  if (result.success) return result.data;
  context.addIssue(`expected ${planForms}`);
  return z.NEVER;
}
