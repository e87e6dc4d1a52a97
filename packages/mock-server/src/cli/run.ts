import { readFileSync } from "node:fs";
import { type Command, type Environment, helpText, readArguments, UnusableError, UsageError } from "./arguments.ts";

/** How the program was called. */
export interface Invocation {
  /** What follows its name. */
  readonly words: readonly string[];
  readonly environment: Environment;
  /** Its package.json. */
  readonly packageFile: URL;
}

/**
 * Runs the command that the words ask for. What goes wrong is told in one line, and the process ends with 2 when the words,
 * variables or files that say what to do are wrong, so that nothing was begun, and with 1 for what goes wrong later.
 */
export async function run({ words, environment, packageFile }: Invocation): Promise<void> {
  // Whoever read the output may leave while the service goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    await runCommand(readArguments(words, environment), packageFile);
  } catch (error) {
    const hint = error instanceof UsageError && !(error instanceof UnusableError) ? " See landing-page-mock help." : "";
    process.stderr.write(`landing-page-mock: ${describe(error)}${hint}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** Runs one command, which alone loads what it needs. */
async function runCommand(command: Command, packageFile: URL): Promise<void> {
  switch (command.name) {
    case "help":
      process.stdout.write(helpText(command.about));
      return;
    case "version": {
      const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }; // npm publishes no package without one
      process.stdout.write(`${version}\n`);
      return;
    }
    case "openapi": {
      const { openApiDocument } = await import("@landing-page-service/contract/openapi");
      const { dialect } = command.options;
      const spoken = dialect === undefined ? undefined : (await import("./files.ts")).readDialect(dialect);
      process.stdout.write(`${JSON.stringify(openApiDocument(spoken), undefined, 2)}\n`);
      return;
    }
    case "check": {
      const { check } = await import("./check.ts");
      await check(command.options);
      return;
    }
    case "sweep": {
      const { sweep } = await import("./sweep.ts");
      await sweep(command.options, command.words ?? []);
      return;
    }
    case "serve": {
      const { serve } = await import("./serve.ts");
      await serve(command.options);
    }
  }
}

/** A mistake per line stays one per line; what a parser quotes of a file is put on one. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof SyntaxError ? error.message.replaceAll(/\s+/g, " ") : error.message;
}
