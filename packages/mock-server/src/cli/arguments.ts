import { nearest } from "@landing-page-service/contract";
import { commands, type OptionRow } from "./commands.ts";

// Not imported: an import of node:util reads every export of it, which takes some 4 ms.
const { parseArgs } = process.getBuiltinModule("node:util");

/** A command line that asks for something that does not exist; the message says what. */
export class UsageError extends Error {
  override name = "UsageError" as const;
}

/** What an option names cannot be used, such as a file; the message says which and why, and help would say no more. */
export class UnusableError extends UsageError {}

const common = {
  help: { type: "boolean", short: "h", help: "print this" },
  version: { type: "boolean", short: "v", help: "print the version" },
} as const;

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

/** A command with its options. */
interface CommandOf<Name extends CommandName> {
  readonly name: Name;
  readonly options: OptionValues<Name>;
  /** What follows `--`: the command that `sweep` runs; absent where there is no `--`. */
  readonly words?: readonly string[];
}

/** A command line, understood. */
export type Command =
  | { readonly [Name in CommandName]: CommandOf<Name> }[CommandName]
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
  const end = words.indexOf("--");
  if (words[0] === "sweep" && end > 0) {
    const command = readArguments(words.slice(0, end), environment);
    return command.name === "sweep" ? { ...command, words: words.slice(end + 1) } : command;
  }
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
    const word = /^Unexpected argument '([^']*)'/.exec(text)?.[1];
    const names = Object.keys(options);
    const hint = unknown === undefined ? suggestPlace(word, names) : suggestOption(unknown, names);
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

/** What a word that stands alone may be meant for. */
function suggestPlace(word: string | undefined, options: readonly string[]): string {
  if (word === undefined) return "";
  if (options.includes("max-runs")) return " (the program comes after --)";
  const option = /^\d+$/.test(word) ? "port" : "base-url";
  return options.includes(option) ? ` (did you mean --${option} ${word}?)` : "";
}

/** A letter may stand for each option that begins with it. */
function suggestOption(name: string, options: readonly string[]): string {
  if (name.length > 1) return suggest(name, options, "--");
  const meant = options.filter((option) => option.startsWith(name)).map((option) => `--${option}`);
  return meant.length === 0 ? "" : ` (did you mean ${meant.join(" or ")}?)`;
}

function suggest(name: string, candidates: readonly string[], prefix = ""): string {
  const candidate = nearest(name, candidates);
  return candidate === undefined ? "" : ` (did you mean ${prefix}${candidate}?)`;
}
