import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { checkPlace, exportState, importState, readDialect, readJsonFile } from "./files.ts";
import { evictionLine, jsonLine, redactSummary, textLine } from "./log.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { parseCatalogue } from "../domains/network.ts";
import { isLoopback } from "../http/host.ts";
import { type Plan, windowOf } from "../state/limiter.ts";
import { listen, type RunningServer } from "../node.ts";
import type { MockService, MockServiceOptions } from "../service/mock-service.ts";
import { createMockService } from "../service/service.ts";

type ServeOptions = OptionValues<"serve">;

/** A service that the command has started. */
export interface Serving {
  readonly url: string;
  /** Stops the server and writes the state. A second call waits for the first. @throws {Error} when the state cannot be written. */
  readonly stop: () => Promise<void>;
}

/** Starts the service and prints how to call it. */
export async function serve(options: ServeOptions, print: (text: string) => void): Promise<Serving> {
  checkTogether(options);
  const service = await prepareService(options, print);
  const { log = "text", "export-on-exit": exportFile } = options;
  const server = await listen(service, {
    port: options.port ?? 4010,
    host: options.host ?? "127.0.0.1",
    allowedHosts: options["allowed-host"] ?? [],
    control: options.token === undefined ? true : { token: options.token },
    inspector: true,
    onAnswer(answered) {
      if (log === "json") print(jsonLine("request", answered, new Date()));
      if (log === "text") print(textLine(answered, new Date()));
    },
  }).catch((error: unknown) => {
    // An option got what it cannot take, such as an `--allowed-host` with a port.
    throw error instanceof TypeError ? new UsageError(`${error.message}.`, { cause: error }) : error;
  });
  print(log === "json" ? jsonLine("listening", { url: server.url }, new Date()) : greeting(server, service, options));
  if (options.open) openInBrowser(`${server.url}/`);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await server.close();
    if (exportFile !== undefined) await exportState(service, exportFile);
  };
  return { url: server.url, stop: () => (stopping ??= stop()) };
}

/** Ends the process at the first signal. npx sends a Ctrl-C twice: further signals change nothing. SIGHUP is what a closed terminal sends. */
export function stopOnSignal({ stop }: Serving): void {
  const onSignal = (): void => {
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`landing-pages-mock: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
}

function checkTogether({ host = "127.0.0.1", token, seed, import: importFile, ...options }: ServeOptions): void {
  if (!isLoopback(host) && !token) {
    throw new UsageError(`--host ${host} lets other machines in, so the control API needs a --token.`);
  }
  if (seed !== undefined && importFile !== undefined) {
    throw new UsageError("--seed and --import exclude each other: an import is the whole state.");
  }
  if (options["export-on-exit"] !== undefined) checkPlace(options["export-on-exit"]);
}

async function prepareService(options: ServeOptions, print: (text: string) => void): Promise<MockService> {
  const service = createMockService(readServiceOptions(options, print));
  const { seed, import: importFile, "export-on-exit": exportFile = "" } = options;
  // The first run of `--import state --export-on-exit state` has nothing to import yet.
  const isFirstRun = importFile !== undefined && !existsSync(importFile) && resolve(importFile) === resolve(exportFile);
  const file = isFirstRun ? undefined : (seed ?? importFile);
  if (file !== undefined) await importState(service, file);
  return service;
}

function readServiceOptions(options: ServeOptions, print: (text: string) => void): MockServiceOptions {
  const { log = "text" } = options;
  return {
    plan: options.plan ?? "starter",
    latencyMs: options.latency ?? 0,
    ...(options["max-sandboxes"] !== undefined && { maxSandboxes: options["max-sandboxes"] }),
    onSandboxEvicted(summary) {
      if (log === "json") print(jsonLine("evicted", redactSummary(summary), new Date()));
      if (log === "text") print(evictionLine(summary, new Date()));
    },
    ...(options.domains !== undefined && { domains: readJsonFile(options.domains, parseCatalogue) }),
    ...(options.dialect !== undefined && { dialect: readDialect(options.dialect) }),
  };
}

function greeting({ url }: RunningServer, service: MockService, options: ServeOptions): string {
  const { plan = "starter", token, dialect = "reference" } = options;
  const exportFile = options["export-on-exit"];
  return `Landing Page Service (mock) listens on ${url}

  curl -i -H "Authorization: Bearer test_demo" ${url}/api/content

Look      ${url}/
Keys      any that begins with test_ opens an account of its own
${describeState(service, options)}Plan      ${describePlan(plan)}
Domains   ${service.domains.domains.length}
Dialect   ${dialect}
API       ${url}/openapi.json
Control   ${url}/__mock/openapi.json${token === undefined ? "" : ", with the token"}
Stop      Ctrl-C${exportFile === undefined ? "" : `, which writes ${exportFile}`}
`;
}

/** What was read from a file, so that whoever looks with another key sees that it is there. */
function describeState(service: MockService, { seed, import: file = seed }: ServeOptions): string {
  if (file === undefined) return "";
  const accounts = service.listAccounts();
  const pages = accounts.reduce((sum, account) => sum + account.pages, 0);
  return `State     ${count(pages, "page")} of ${count(accounts.length, "account")} from ${file}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function describePlan(plan: Plan): string {
  if (plan === "unlimited") return plan;
  const { limit, windowMs } = windowOf(plan);
  const window = `${limit} requests in ${windowMs / 1000} s`;
  return typeof plan === "string" ? `${plan}, ${window}` : window;
}

/** Where there is no browser, the URL stands in the greeting anyway. */
function openInBrowser(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const opener = spawn(openers[process.platform] ?? "xdg-open", [url], { stdio: "ignore", detached: true });
  opener.on("error", (error) => process.stderr.write(`landing-pages-mock: --open: ${error.message}\n`));
  opener.unref();
}
