import { nearest } from "@landing-page-service/contract";
import { parseArgs } from "node:util";
import type { Plan } from "../state/limiter.ts";

/** A command line that asks for something that does not exist; the message says what. */
export class UsageError extends Error {
  override name = "UsageError" as const;
}

interface OptionRow {
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

/** What each command takes: read by the parser and printed by `--help`. */
const commands = {
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
      log: {
        type: "string",
        value: "FORM",
        read: readLogForm,
        expected: "text, json or quiet",
        help: "a line per request as text or json, or quiet for none (default text)",
      },
      open: { type: "boolean", help: "open the OpenAPI document in the browser" },
      import: { type: "string", value: "FILE", help: "state to start from, as written by --export-on-exit" },
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
      thorough: { type: "boolean", help: "make 21 pages, to see the default limit at work" },
      yes: { type: "boolean", help: "go on although the account already holds pages" },
    },
  },
  openapi: { summary: "Prints the OpenAPI document of the service.", options: {} },
} as const satisfies Record<string, { summary: string; options: Record<string, OptionRow> }>;

const common = {
  help: { type: "boolean", short: "h", help: "print this" },
  version: { type: "boolean", short: "v", help: "print the version" },
} as const;

/** How requests are told on standard output. */
type LogForm = "text" | "json" | "quiet";

/** Name of a command that takes options. */
type CommandName = keyof typeof commands;

type ValueOf<Row> = Row extends { read: (text: string) => infer Value }
  ? Exclude<Value, undefined>
  : Row extends { multiple: true }
    ? string[]
    : Row extends { type: "boolean" }
      ? boolean
      : string;

/** Values of one command's options. */
export type OptionValues<Name extends CommandName> = {
  readonly [Option in keyof (typeof commands)[Name]["options"]]?:
    ValueOf<(typeof commands)[Name]["options"][Option]> | undefined;
};

/** A command line, understood. */
export type Command =
  | { readonly [Name in CommandName]: { readonly name: Name; readonly options: OptionValues<Name> } }[CommandName]
  /** `about` is the command that help is wanted with; all of them when there is none. */
  | { readonly name: "help"; readonly about: CommandName | undefined }
  | { readonly name: "version" };

/** Variables of the environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads what follows the program's name; options that are not there are taken from `LANDING_PAGE_MOCK_…` variables.
 *
 * @throws {UsageError} when a command, an option or a variable does not exist, or an option's value is none that it takes.
 */
export function readArguments(words: readonly string[], environment: Environment = {}): Command {
  const [first, ...others] = words;
  const isNamed = first !== undefined && !first.startsWith("-");
  const name = isNamed ? first : "serve";
  if (name === "help" || name === "version") return readPlainCommand(name, others);
  if (!isCommandName(name)) throw unknownCommand(name);
  const rows: Record<string, OptionRow> = commands[name].options;
  const given = parse(isNamed ? others : words, { ...rows, ...common });
  if (given["help"] === true) return { name: "help", about: isNamed ? name : undefined };
  if (given["version"] === true) return { name: "version" };
  checkVariables(environment);
  return { name, options: readOptions(rows, given, environment) };
}

function readPlainCommand(name: "help" | "version", words: readonly string[]): Command {
  if (words.length === 1 && words[0] === "--help") return { name: "help", about: undefined };
  const [about, extra] = words;
  const unexpected = name === "version" ? about : extra;
  if (unexpected !== undefined) throw new UsageError(`${name} takes nothing like ${JSON.stringify(unexpected)}.`);
  if (name === "version") return { name };
  if (about === undefined || isCommandName(about)) return { name, about };
  throw unknownCommand(about);
}

function readOptions(
  rows: Record<string, OptionRow>,
  given: Record<string, unknown>,
  environment: Environment,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [option, row] of Object.entries(rows)) {
    const variable = variableOf(option);
    const text = environment[variable] ?? "";
    if (given[option] !== undefined) values[option] = readValue(given[option], row, `--${option}`);
    else if (text !== "") values[option] = readValue(fromVariable(text, row, variable), row, variable);
  }
  return values;
}

/** Reads the text of an option; `source` is where it was given. */
function readValue(given: unknown, { read, expected }: OptionRow, source: string): unknown {
  if (read === undefined || typeof given !== "string") return given;
  const value = read(given);
  if (value !== undefined) return value;
  throw new UsageError(`${source}: expected ${expected}, got ${JSON.stringify(given)}.`);
}

function fromVariable(text: string, { type, multiple }: OptionRow, variable: string): string | string[] | boolean {
  if (multiple === true) return text.split(",").map((part) => part.trim());
  if (type === "string") return text;
  if (/^(?:1|true)$/i.test(text)) return true;
  if (/^(?:0|false)$/i.test(text)) return false;
  throw new UsageError(`${variable}: expected true or false, got ${JSON.stringify(text)}.`);
}

const variableStart = "LANDING_PAGE_MOCK_";

function variableOf(option: string): string {
  return `${variableStart}${option.toUpperCase().replaceAll("-", "_")}`;
}

/** Refuses a variable that is nearly one of ours; others may belong to whoever runs us, as those that Kubernetes sets. */
function checkVariables(environment: Environment): void {
  const known = Object.values(commands).flatMap(({ options }) => Object.keys(options).map(variableOf));
  const endings = known.map((variable) => variable.slice(variableStart.length));
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith(variableStart) || known.includes(variable)) continue;
    const hint = suggest(variable.slice(variableStart.length), endings, variableStart);
    if (hint !== "") throw new UsageError(`There is no variable ${variable}${hint}.`);
  }
}

/** The text of `help`: of one command, or of all. */
export function helpText(about?: CommandName): string {
  const rows = Object.entries<{ summary: string; options: Record<string, OptionRow> }>(commands);
  const parts = rows
    .filter(([name]) => about === undefined || name === about)
    .map(([name, { summary, options }]) => `landing-page-mock ${name}\n  ${summary}\n${helpRows(options)}`);
  const plain = "landing-page-mock help [COMMAND]\nlanding-page-mock version\n";
  const variables = `Each option can also be set as a variable, such as ${variableOf("export-on-exit")};\nthe command line wins.\n`;
  return `${[...parts, ...(about === undefined ? [plain] : [])].join("\n")}\nAlways\n${helpRows(common)}\n${variables}`;
}

function helpRows(options: Record<string, OptionRow>): string {
  return Object.entries(options)
    .map(([name, { value, help }]) => `  ${`--${name}${value ? ` ${value}` : ""}`.padEnd(26)} ${help}\n`)
    .join("");
}

function parse(words: readonly string[], options: Record<string, OptionRow>): Record<string, unknown> {
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const unknown = /^Unknown option '--?([^']+)'/.exec(text)?.[1];
    // The rest of node's message is advice on positional arguments, of which there are none.
    const [sentence = text] = text.split(/\. |\n/);
    const hint = unknown === undefined ? "" : suggest(unknown, Object.keys(options), "--");
    throw new UsageError(`${sentence.replace(/\.$/, "")}${hint}.`, { cause: error });
  }
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string): UsageError {
  const known = [...Object.keys(commands), "help", "version"];
  return new UsageError(`There is no command ${JSON.stringify(name)}${suggest(name, known)}.`);
}

function suggest(name: string, candidates: readonly string[], prefix = ""): string {
  const candidate = nearest(name, candidates);
  return candidate === undefined ? "" : ` (did you mean ${prefix}${candidate}?)`;
}

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
