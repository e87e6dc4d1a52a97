#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { helpText, readArguments, UsageError } from "./cli/arguments.ts";

// Whoever read the output may leave while the service goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  await run(process.argv.slice(2));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof UsageError ? " See landing-page-mock --help." : "";
  process.stderr.write(`landing-page-mock: ${message.replaceAll(/\s+/g, " ")}${hint}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

/** Runs one command, which alone loads what it needs. */
async function run(words: readonly string[]): Promise<void> {
  const command = readArguments(words);
  switch (command.name) {
    case "help":
      process.stdout.write(helpText());
      return;
    case "version":
      process.stdout.write(`${packageVersion()}\n`);
      return;
    case "openapi": {
      const { openApiDocument } = await import("@landing-page-service/contract/openapi");
      process.stdout.write(`${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
      return;
    }
    case "check": {
      const { check } = await import("./cli/check.ts");
      await check(command.options);
      return;
    }
    case "serve": {
      const { serve } = await import("./cli/serve.ts");
      await serve(command.options);
    }
  }
}

/** Version of this package, from its package.json, which lies beside `src` and `dist` alike. */
function packageVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version; // npm publishes no package without one
}
