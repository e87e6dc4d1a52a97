import { existsSync } from "node:fs";
import { type DialectFile, resolveDialect } from "@landing-page-service/contract/dialect";
import { type CheckOptions, type CheckProgress, type CheckReport, checkService, renderReport } from "../check.ts";
import { CheckOptionError } from "../check/client.ts";
import { mapStrings } from "../check/json.ts";
import { isFine } from "../check/report.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { checkPlace, readJsonFile, writeJsonFile } from "./files.ts";
import { escapeControls } from "./log.ts";

/** Checks a service and prints the report. The exit code is 1 for a broken statement, drift or pages left behind, and 130 after a signal. */
export async function check(options: OptionValues<"check">): Promise<void> {
  const dialectFile = options["write-dialect"];
  if (dialectFile !== undefined) checkPlace(dialectFile);
  const controller = new AbortController();
  const removeListeners = stopOnSignal(controller);
  const progress = createProgress(process.stderr);
  try {
    const report = await checkService({
      ...readCheckOptions(options),
      signal: controller.signal,
      onProgress: progress.show,
    });
    progress.clear();
    const colour = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
    const width = process.stdout.isTTY ? process.stdout.columns : undefined;
    // The colours are those of the report, not of the service.
    const plain = mapStrings(report, (part) => part.replaceAll("\u001b", escapeControls));
    const text = options.json ? `${JSON.stringify(report, undefined, 2)}\n` : renderReport(plain, { colour, width });
    process.stdout.write(escapeReport(text));
    if (dialectFile !== undefined) await writeDialect(dialectFile, report);
    process.exitCode = isFine(report) ? 0 : 1;
  } catch (error) {
    progress.clear();
    if (error instanceof CheckOptionError) throw new UsageError(error.message, { cause: error });
    if (error !== controller.signal.reason) throw error;
    process.stderr.write("landing-pages-mock: Stopped. The check has deleted its pages.\n");
    process.exitCode = 130;
  } finally {
    removeListeners();
  }
}

/** Escapes control characters from the service. Keeps the line breaks and colours of the report. */
function escapeReport(text: string): string {
  // eslint-disable-next-line no-control-regex -- the escape character begins a colour
  const parts = text.split(/(\n|\u001b\[\d+m)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : escapeControls(part))).join("");
}

const dialectSchemaPath = "./node_modules/@landing-page-service/mock-server/dialect.schema.json";

/** Writes the dialect. Keeps an existing file if the check did not find the identifier of a page, because it then learned little. */
async function writeDialect(file: string, report: CheckReport): Promise<void> {
  const { dialect } = report;
  const isKept = dialect.pageId === undefined && existsSync(file);
  if (!isKept) await writeJsonFile(file, { $schema: dialectSchemaPath, ...dialect });
  const what = isKept ? "was not changed, because the check could not find the identifier of a page" : "was written";
  if (!isFine(report)) process.stderr.write(`landing-pages-mock: ${file} ${what}; the exit code is 1.\n`);
}

function readCheckOptions({ compare, timeout, yes, thorough, ...options }: OptionValues<"check">): CheckOptions {
  const baseUrl = options["base-url"] ?? process.env["LANDING_PAGES_BASE_URL"];
  const apiKey = options["api-key"] ?? process.env["LANDING_PAGES_API_KEY"];
  if (!baseUrl) throw new UsageError("check needs --base-url URL, or LANDING_PAGES_BASE_URL.");
  if (!apiKey) throw new UsageError("check needs --api-key KEY, or LANDING_PAGES_API_KEY.");
  return {
    baseUrl,
    apiKey,
    otherApiKey: options["other-api-key"],
    compare: compare === undefined ? undefined : readJsonFile(compare, readDialectFile),
    timeoutMs: timeout,
    totalTimeoutMs: options["total-timeout"],
    yes,
    thorough,
  };
}

/** Checks a dialect file. @throws {TypeError} when it is not a dialect. */
function readDialectFile(value: unknown): DialectFile {
  resolveDialect(value);
  return value as DialectFile; // why: the line above has checked it
}

/** The first signal stops the check, which then cleans up. The second one ends the process at once. */
function stopOnSignal(controller: AbortController): () => void {
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    process.stderr.write("\nStopping: deleting the pages of the check. Press Ctrl-C again to stop at once.\n");
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return () => process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
}

/** Shows the progress on one line of a terminal. Writes nothing elsewhere. */
function createProgress(stream: NodeJS.WriteStream): { show: (progress: CheckProgress) => void; clear: () => void } {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  const clear = (): void => void stream.write("\r\u001b[K");
  return {
    show({ requests, phase }) {
      clear();
      stream.write(`${requests} requests, ${phase} …`);
    },
    clear,
  };
}
