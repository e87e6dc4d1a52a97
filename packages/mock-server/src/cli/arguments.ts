import { parseArgs, type ParseArgsConfig } from "node:util";
import { nearest } from "@landing-page-service/contract";
import { checkValue, formatIssues, suggest } from "@landing-page-service/contract/internal";
import type * as z from "zod";
import { commands, optionTexts } from "./commands.ts";

/** Error for a wrong command line. */
export class UsageError extends Error {
  override name = "UsageError" as const;
}

/** The value of an option cannot be used, such as a file. The message gives the reason, so no hint at the help follows. */
export class UnusableError extends UsageError {}

/** Name of a command that takes options. */
type CommandName = keyof typeof commands;

/** Values of one command's options. */
export type OptionValues<Name extends CommandName> = z.output<(typeof commands)[Name]["options"]>;

/** A parsed command line. `words` follow `--`: the program that `sweep` runs. */
export type Command =
  | { [Name in CommandName]: { name: Name; options: OptionValues<Name>; words?: readonly string[] } }[CommandName]
  /** `about` is the command to explain, or `undefined` for all. */
  | { name: "help"; about: CommandName | undefined }
  | { name: "version" };

/** Variables of the environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the command line, and reads other options from `LANDING_PAGES_MOCK_…` variables.
 *
 * @throws {UsageError} when a command or an option does not exist, or the value of an option is wrong.
 */
export function readArguments(words: readonly string[], environment: Environment = {}): Command {
  const end = words[0] === "sweep" ? words.indexOf("--") : -1;
  if (end > 0) {
    const command = readArguments(words.slice(0, end), environment);
    return command.name === "sweep" ? { ...command, words: words.slice(end + 1) } : command;
  }
  const [first = "", ...others] = words;
  const isNamed = first !== "" && !first.startsWith("-");
  const name = isNamed ? first : "serve";
  if (name === "help" || name === "version") return readPlainCommand(name, others);
  if (!isCommandName(name)) throw unknownCommand(name);
  const { shape } = commands[name].options;
  const given = parse(isNamed ? others : words, shape);
  if (given["help"] === true) return { name: "help", about: isNamed ? name : undefined };
  if (given["version"] === true) return { name: "version" };
  const values = Object.entries<z.ZodType>(shape).map(([option, schema]) => {
    return [option, readOption(option, schema, given[option], environment)] as const;
  });
  return { name, options: Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
}

function readPlainCommand(name: "help" | "version", words: readonly string[]): Command {
  const [about, extra] = words[0] === "--help" ? words.slice(1) : words;
  const unexpected = name === "version" ? about : extra;
  if (unexpected !== undefined) throw new UsageError(`${name} does not accept ${JSON.stringify(unexpected)}.`);
  if (name === "version" && words.length === 0) return { name };
  if (about === undefined || isCommandName(about)) return { name: "help", about };
  throw unknownCommand(about);
}

/** Reads an option from the command line, or else from its variable. */
function readOption(option: string, schema: z.ZodType, given: unknown, environment: Environment): unknown {
  const variable = variableOf(option);
  const old = variable.replace("PAGES", "PAGE");
  if (environment[old] !== undefined) throw new UsageError(`The variable ${old} is called ${variable} now.`);
  const text = environment[variable] || undefined;
  const value = given ?? (takesList(schema) ? text?.split(",").map((part) => part.trim()) : text);
  const result = checkValue(schema, value === true ? "true" : value);
  if (result.success) return result.data;
  const issues = result.issues.map(({ message }) => ({ path: [], message }));
  const message = formatIssues(given === undefined ? variable : `--${option}`, issues);
  throw new UsageError(message.endsWith("?") ? message : `${message}.`);
}

function takesList(schema: z.ZodType): boolean {
  return schema.safeParse([]).success;
}

function variableOf(option: string): string {
  return `LANDING_PAGES_MOCK_${option.toUpperCase().replaceAll("-", "_")}`;
}

/** Warns of variables whose names are nearly those of options. Others with the prefix may be the user's own. */
export function warnOfMisspelt(environment: Environment, warn: (text: string) => void): void {
  const known = Object.values(commands).flatMap(({ options }) => Object.keys(options.shape));
  for (const name of Object.keys(environment)) {
    const [, end = ""] = /^LANDING_PAGES_MOCK_(.*)/.exec(name) ?? [];
    const meant = variableOf(nearest(end, known) ?? end);
    if (end !== "" && meant !== name) warn(`landing-pages-mock: ${name} is no option; did you mean ${meant}?\n`);
  }
}

/** The text of `help`: of one command, or of all. */
export function helpText(about?: CommandName): string {
  const parts = Object.entries(commands)
    .filter(([name]) => about === undefined || name === about)
    .map(([, { usage, summary, options }]) => `${usage}\n  ${summary}\n${describeOptions(options.shape)}`);
  const plain = about === undefined ? ["landing-pages-mock help [COMMAND]\nlanding-pages-mock version\n"] : [];
  const always = `All commands\n${helpLine("help", "print this")}${helpLine("version", "print the version")}`;
  const variables = `Each option can also be set as an environment variable, such as ${variableOf("export-on-exit")}.\nThe command line takes precedence.\n`;
  return `${[...parts, ...plain].join("\n")}\n${always}\n${variables}`;
}

function describeOptions(shape: Record<string, z.ZodType>): string {
  const lines = Object.entries(shape).map(([name, schema]) => {
    const { value = "", help = "" } = optionTexts.get(schema) ?? {};
    return helpLine(`${name} ${value}`, help);
  });
  return lines.join("");
}

function helpLine(option: string, help: string): string {
  return `  ${`--${option}`.padEnd(26)} ${help}\n`;
}

function parse(words: readonly string[], shape: Record<string, z.ZodType>): Record<string, unknown> {
  const options: NonNullable<ParseArgsConfig["options"]> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean", short: "v" },
  };
  for (const [name, schema] of Object.entries(shape))
    options[name] = {
      type: optionTexts.get(schema)?.value === undefined ? "boolean" : "string",
      multiple: takesList(schema),
    };
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const [, option] = /^Option '([^ ']+).*' argument (?:is ambiguous|missing)/.exec(text) ?? [];
    if (option !== undefined) throw new UsageError(`${option} needs a value.`, { cause: error });
    // The rest of node's message is advice on positional arguments, which do not exist here.
    const [sentence = text] = text.split(/\. |\n/);
    throw new UsageError(`${sentence.replace(/\.$/, "")}${hint(text, Object.keys(options))}.`, { cause: error });
  }
}

/** Suggests an option for a wrong one. A single letter may mean each option that begins with it. */
function hint(text: string, options: readonly string[]): string {
  const [, word] = /^Unexpected argument '([^']*)'/.exec(text) ?? [];
  const [, name = ""] = /^Unknown option '--?([^']+)'/.exec(text) ?? [];
  if (word !== undefined && options.includes("max-runs")) return " (the program comes after --)";
  const option = /^\d+$/.test(word ?? "") ? "port" : "base-url";
  if (word !== undefined) return options.includes(option) ? ` (did you mean --${option} ${word}?)` : "";
  const meant =
    name.length === 1 ? options.filter((known) => known.startsWith(name)) : [nearest(name, options) ?? []].flat();
  return meant.length === 0 ? "" : ` (did you mean ${meant.map((known) => `--${known}`).join(" or ")}?)`;
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string): UsageError {
  const meant = suggest(name, [...Object.keys(commands), "help", "version"]);
  return new UsageError(`There is no command ${JSON.stringify(name)}${meant || "."}`);
}
