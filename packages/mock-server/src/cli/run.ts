import { readFileSync } from "node:fs";
import { type Command, helpText, readArguments, UnusableError, UsageError, warnOfMisspelt } from "./arguments.ts";
import { escapeControls } from "./log.ts";

/** The arguments and the environment of the program. */
export interface Invocation {
  /** The command-line arguments. */
  readonly words: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Its package.json. */
  readonly packageFile: URL;
  /** Writes to the standard output. */
  readonly print: (text: string) => void;
  /** Writes to the standard error. */
  readonly complain: (text: string) => void;
}

/**
 * Runs a command. An error is printed on one line.
 *
 * @returns the exit code: 2 if arguments, variables or files are wrong and the command did not start, 1 for a later error, `undefined` if the
 * command sets it.
 */
export async function run(invocation: Invocation): Promise<number | undefined> {
  const { words, environment, complain } = invocation;
  try {
    const command = readArguments(words, environment);
    warnOfMisspelt(environment, complain);
    await runCommand(command, invocation);
    return undefined;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const hint = isUsage && !(error instanceof UnusableError) ? " See landing-pages-mock help." : "";
    complain(`landing-pages-mock: ${describe(error)}${hint}\n`);
    return isUsage ? 2 : 1;
  }
}

/** Runs one command. Each command loads its own modules. */
async function runCommand(command: Command, { packageFile, print }: Invocation): Promise<void> {
  switch (command.name) {
    case "help":
      return print(helpText(command.about));
    case "version": {
      const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }; // why: npm publishes no package without one
      return print(`${version}\n`);
    }
    case "openapi": {
      const { openApiDocument } = await import("@landing-page-service/contract/openapi");
      const { readDialect } = await import("./files.ts");
      const { dialect } = command.options;
      const document = openApiDocument(dialect === undefined ? undefined : readDialect(dialect));
      return print(`${JSON.stringify(document, undefined, 2)}\n`);
    }
    case "check":
      return (await import("./check.ts")).check(command.options);
    case "sweep":
      return (await import("./sweep.ts")).sweep(command.options, command.words ?? []);
    case "serve": {
      const { serve, stopOnSignal } = await import("./serve.ts");
      stopOnSignal(await serve(command.options, print));
    }
  }
}

/** Formats a message. A list of mistakes keeps its lines, but the message of a JSON parser, which quotes the file, becomes one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.cause instanceof SyntaxError ? error.message.replaceAll(/\s+/g, " ") : error.message;
  return text.split("\n").map(escapeControls).join("\n");
}
