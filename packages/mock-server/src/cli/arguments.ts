import { parseArgs } from "node:util";
import { nearest } from "@landing-page-service/contract";
import { checkValue, formatIssues, suggest } from "@landing-page-service/contract/internal";
import type * as z from "zod";
import { commands, type OptionRow } from "./commands.ts";

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

/** Values of one command's options. */
export type OptionValues<Name extends CommandName> = {
  readonly [Option in keyof (typeof commands)[Name]["options"]]?: (typeof commands)[Name]["options"][Option] extends {
    schema: infer Schema extends z.ZodType;
  }
    ? z.output<Schema> | undefined
    : never;
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
 * Reads what follows the program's name; options that are not there are taken from `LANDING_PAGES_MOCK_…` variables.
 *
 * @throws {UsageError} when a command or an option does not exist, or an option's value is none that it takes.
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
  const values = Object.entries(rows).flatMap(([option, row]) => {
    const value = readOption(option, row, given[option], environment);
    return value === undefined ? [] : [[option, value] as const];
  });
  return { name, options: Object.fromEntries(values) };
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

/** The value of one option: from the command line, or else from its variable. */
function readOption(option: string, row: OptionRow, given: unknown, environment: Environment): unknown {
  const variable = variableOf(option);
  const old = variable.replace("PAGES", "PAGE");
  if (environment[old] !== undefined) throw new UsageError(`The variable ${old} is called ${variable} now.`);
  if (given === true) return given;
  if (given !== undefined) return readValue(`--${option}`, row, given);
  const text = environment[variable] ?? "";
  if (text === "") return undefined;
  return readValue(variable, row, row.multiple === true ? text.split(",").map((part) => part.trim()) : text);
}

function readValue(source: string, { schema }: OptionRow, given: unknown): unknown {
  const result = checkValue(schema, given);
  if (result.success) return result.data;
  const message = formatIssues(source, result.issues);
  throw new UsageError(message.endsWith("?") ? message : `${message}.`);
}

function variableOf(option: string): string {
  return `LANDING_PAGES_MOCK_${option.toUpperCase().replaceAll("-", "_")}`;
}

/** The text of `help`: of one command, or of all. */
export function helpText(about?: CommandName): string {
  const rows = Object.entries<{ summary: string; options: Record<string, OptionRow> }>(commands);
  const parts = rows
    .filter(([name]) => about === undefined || name === about)
    .map(([name, { summary, options }]) => `landing-pages-mock ${name}\n  ${summary}\n${helpRows(options)}`);
  const plain = "landing-pages-mock help [COMMAND]\nlanding-pages-mock version\n";
  const variables = `Each option can also be set as a variable, such as ${variableOf("export-on-exit")};\nthe command line wins.\n`;
  return `${[...parts, ...(about === undefined ? [plain] : [])].join("\n")}\nAlways\n${helpRows(common)}\n${variables}`;
}

function helpRows(options: Record<string, Pick<OptionRow, "value" | "help">>): string {
  return Object.entries(options)
    .map(([name, { value, help }]) => `  ${`--${name}${value ? ` ${value}` : ""}`.padEnd(26)} ${help}\n`)
    .join("");
}

function parse(words: readonly string[], rows: Record<string, Omit<OptionRow, "schema">>): Record<string, unknown> {
  try {
    return parseArgs({ args: [...words], options: rows }).values;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // The rest of node's message is advice on positional arguments, of which there are none.
    const [sentence = text] = text.split(/\. |\n/);
    const unknown = /^Unknown option '-?(-[^']+)'/.exec(text)?.[1]?.slice(1);
    const word = /^Unexpected argument '([^']*)'/.exec(text)?.[1];
    const hint =
      unknown === undefined ? suggestPlace(word, Object.keys(rows)) : suggestOption(unknown, Object.keys(rows));
    throw new UsageError(`${sentence.replace(/\.$/, "")}${hint}.`, { cause: error });
  }
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string): UsageError {
  const hint = suggest(name, [...Object.keys(commands), "help", "version"]);
  return new UsageError(`There is no command ${JSON.stringify(name)}${hint || "."}`);
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
  const near = nearest(name, options) ?? [];
  const meant = name.length > 1 ? [near].flat() : options.filter((option) => option.startsWith(name));
  return meant.length === 0 ? "" : ` (did you mean ${meant.map((option) => `--${option}`).join(" or ")}?)`;
}
