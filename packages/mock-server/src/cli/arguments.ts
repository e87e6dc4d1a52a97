import { nearest } from "@landing-page-service/contract";
import { parseArgs } from "node:util";

/** A command line that asks for something that does not exist; the message says what. */
export class UsageError extends Error {
  override name = "UsageError" as const;
}

interface OptionRow {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

/** What each command takes: read by the parser and printed by `--help`. */
const commands = {
  serve: {
    summary: "Starts the service on a port. This is what happens when no command is given.",
    options: {
      port: { type: "string", value: "PORT", help: "port to listen on, 0 for a free one (default 4010)" },
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
        help: "free, starter, pro, unlimited, or LIMIT/SECONDS such as 5/60 (default starter)",
      },
      dialect: {
        type: "string",
        value: "NAME|FILE",
        help: "how to speak where the spec is silent: a preset or a JSON file",
      },
      latency: { type: "string", value: "MS", help: "milliseconds to wait before each answer (default 0)" },
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

/** Name of a command of the CLI. */
type CommandName = keyof typeof commands;

/** Values of one command's options, as text. */
export type OptionValues<Name extends CommandName> = {
  readonly [Option in keyof (typeof commands)[Name]["options"]]?:
    | ((typeof commands)[Name]["options"][Option] extends { multiple: true }
        ? string[]
        : (typeof commands)[Name]["options"][Option] extends { type: "boolean" }
          ? boolean
          : string)
    | undefined;
};

/** A command line, understood. */
export type Command =
  | { readonly [Name in CommandName]: { readonly name: Name; readonly options: OptionValues<Name> } }[CommandName]
  | { readonly name: "help" }
  | { readonly name: "version" };

/**
 * Reads what follows the program's name.
 *
 * @throws {UsageError} when a command or an option does not exist, or an option lacks its value.
 */
export function readArguments(words: readonly string[]): Command {
  const [first, ...others] = words;
  const isNamed = first !== undefined && !first.startsWith("-");
  const name = isNamed ? first : "serve";
  if (!isCommandName(name)) {
    throw new UsageError(`There is no command ${JSON.stringify(name)}${suggest(name, Object.keys(commands))}.`);
  }
  const options: Record<string, OptionRow> = commands[name].options;
  const values = parse(isNamed ? others : words, { ...options, ...common });
  if (values["help"] === true) return { name: "help" };
  if (values["version"] === true) return { name: "version" };
  return { name, options: values };
}

/** The text that `--help` prints. */
export function helpText(): string {
  const parts = Object.entries<{ summary: string; options: Record<string, OptionRow> }>(commands).map(
    ([name, { summary, options }]) => `landing-page-mock ${name}\n  ${summary}\n${helpRows(options)}`,
  );
  return `${parts.join("\n")}\nAlways\n${helpRows(common)}`;
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

function suggest(name: string, candidates: readonly string[], prefix = ""): string {
  const candidate = nearest(name, candidates);
  return candidate === undefined ? "" : ` (did you mean ${prefix}${candidate}?)`;
}
