import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseCatalogue } from "../domains/network.ts";
import { isLoopback } from "../http-types.ts";
import { listen } from "../node.ts";
import type { MockService } from "../service/mock-service.ts";
import { createMockService } from "../service/mock-service.ts";
import { type Plan, windowOf } from "../state/plan.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { checkPlace, importState, readDialect, readJsonFile, writeWhole } from "./files.ts";
import { countOf, createLog, jsonLine, type Log } from "./log.ts";

type ServeOptions = OptionValues<"serve">;

/** A service that the command has started. */
export interface Serving {
  readonly url: string;
  /** Stops the server and writes the state. A second call waits for the first. @throws {Error} when the state cannot be written. */
  readonly stop: () => Promise<void>;
}

/** Starts the service and prints how to call it. */
export async function serve(options: ServeOptions, print: (text: string) => void): Promise<Serving> {
  const { host = "127.0.0.1", port = 4010, token, log: form = "text", "export-on-exit": exportFile } = options;
  if (!isLoopback(host) && !token)
    throw new UsageError(`--host ${host} lets other machines in, so the control API needs a --token.`);
  if (exportFile !== undefined) checkPlace(exportFile);
  const log = createLog(form, print);
  const service = await prepareService(options, log);
  const server = await listen(service, {
    port,
    host,
    allowedHosts: options["allowed-host"] ?? [],
    control: token === undefined ? true : { token },
    inspector: true,
    onAnswer: log.request,
  });
  const { url } = server;
  print(form === "json" ? jsonLine("listening", { url }, new Date()) : greeting(url, service, options));
  if (options.open) openInBrowser(`${url}/`);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await server.close();
    if (exportFile !== undefined) await writeWhole(exportFile, service.exportLines());
  };
  return { url, stop: () => (stopping ??= stop()) };
}

/** Ends the process at the first signal. Further signals change nothing, because npx passes on a Ctrl-C twice. A closed terminal sends SIGHUP. */
export function stopOnSignal({ stop }: Serving): void {
  const onSignal = async (): Promise<void> => {
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`landing-pages-mock: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void onSignal());
}

async function prepareService(options: ServeOptions, log: Log): Promise<MockService> {
  const { plan = "starter", latency: latencyMs = 0, "max-sandboxes": maxSandboxes = 5_000, domains, dialect } = options;
  const { seed, import: importFile, "export-on-exit": exportFile = "" } = options;
  if (seed !== undefined && importFile !== undefined)
    throw new UsageError("Use either --seed or --import, because an import is the whole state.");
  const service = createMockService({
    plan,
    latencyMs,
    maxSandboxes,
    onSandboxEvicted: log.evicted,
    ...(domains !== undefined && { domains: readJsonFile(domains, parseCatalogue) }),
    ...(dialect !== undefined && { dialect: readDialect(dialect) }),
  });
  // At the first run of `--import state --export-on-exit state`, the file does not exist yet.
  const isFirstRun = importFile !== undefined && !existsSync(importFile) && resolve(importFile) === resolve(exportFile);
  const file = isFirstRun ? undefined : (seed ?? importFile);
  if (file !== undefined) await importState(service, file);
  return service;
}

function greeting(url: string, service: MockService, options: ServeOptions): string {
  const { plan = "starter", token, dialect = "reference", "export-on-exit": exportFile } = options;
  return `Landing Page Service (mock) listens on ${url}

  curl -i -H "Authorization: Bearer test_demo" ${url}/api/content

Inspector ${url}/
Keys      any that begins with test_ opens an account of its own
${describeState(service, options)}Plan      ${describePlan(plan)}
Domains   ${service.domains.domains.length}
Dialect   ${dialect}
API       ${url}/openapi.json
Control   ${url}/__mock/openapi.json${token === undefined ? "" : ", with the token"}
Stop      Ctrl-C${exportFile === undefined ? "" : `, which writes ${exportFile}`}
`;
}

/** Describes the state from a file, so that a user with another key notices it. */
function describeState(service: MockService, { seed, import: file = seed }: ServeOptions): string {
  if (file === undefined) return "";
  const accounts = service.listAccounts();
  const pages = accounts.reduce((sum, account) => sum + account.pages, 0);
  return `State     ${countOf(pages, "page")} of ${countOf(accounts.length, "account")} from ${file}\n`;
}

function describePlan(plan: Plan): string {
  if (plan === "unlimited") return plan;
  const { limit, windowMs } = windowOf(plan);
  return `${typeof plan === "string" ? `${plan}, ` : ""}${limit} requests in ${windowMs / 1000} s`;
}

/** Opens a URL in the browser. If that fails, the URL is still in the greeting. */
function openInBrowser(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const opener = spawn(openers[process.platform] ?? "xdg-open", [url], { stdio: "ignore", detached: true });
  opener.on("error", (error) => process.stderr.write(`landing-pages-mock: --open: ${error.message}\n`));
  opener.unref();
}
