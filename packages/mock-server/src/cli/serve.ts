import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { checkPlace, exportState, importState, isSamePlace, readDialect, readJsonFile } from "./files.ts";
import { evictionLine, jsonLine, redactSummary, textLine } from "./log.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { parseCatalogue } from "../domains/network.ts";
import { isLoopback } from "../http/host.ts";
import { type Plan, readPlan } from "../state/limiter.ts";
import { listen, type RunningServer } from "../node.ts";
import type { MockServiceOptions } from "../service/options.ts";
import type { MockService } from "../service/mock-service.ts";
import { createMockService } from "../service/service.ts";

type ServeOptions = OptionValues<"serve">;

/** Starts the service, says how to call it, and resolves; the process then lives until a signal ends it. */
export async function serve(options: ServeOptions): Promise<void> {
  checkTogether(options);
  const service = await prepareService(options);
  const { log = "text" } = options;
  const activity = { answers: 0 };
  const server = await listen(service, {
    port: options.port ?? 4010,
    host: options.host ?? "127.0.0.1",
    allowedHosts: options["allowed-host"] ?? [],
    control: options.token === undefined ? true : { token: options.token },
    inspector: true,
    onAnswer(answered) {
      activity.answers += 1;
      if (log === "json") process.stdout.write(jsonLine("request", answered, new Date()));
      if (log === "text") process.stdout.write(textLine(answered, new Date()));
    },
  }).catch((error: unknown) => {
    // That is what an option gets which is none, as an `--allowed-host` with a port.
    throw error instanceof TypeError ? new UsageError(`${error.message}.`, { cause: error }) : error;
  });
  stopOnSignal(server, service, options["export-on-exit"], activity);
  process.stdout.write(
    log === "json" ? jsonLine("listening", { url: server.url }, new Date()) : greeting(server, service, options),
  );
  if (options.open) openInBrowser(`${server.url}/`);
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

async function prepareService(options: ServeOptions): Promise<MockService> {
  const { import: importFile, "export-on-exit": exportFile } = options;
  const service = createMockService(readServiceOptions(options));
  if (options.seed !== undefined) await importState(service, options.seed);
  // The first run of `--import state --export-on-exit state` has nothing to import yet.
  const isFirstRun = importFile !== undefined && !existsSync(importFile) && isSamePlace(importFile, exportFile);
  if (importFile !== undefined && !isFirstRun) {
    await importState(service, importFile);
  }
  return service;
}

function readServiceOptions(options: ServeOptions): MockServiceOptions {
  const { log = "text" } = options;
  return {
    plan: options.plan ?? "starter",
    latencyMs: options.latency ?? 0,
    ...(options["max-sandboxes"] !== undefined && { maxSandboxes: options["max-sandboxes"] }),
    onSandboxEvicted(summary) {
      if (log === "json") process.stdout.write(jsonLine("evicted", redactSummary(summary), new Date()));
      if (log === "text") process.stdout.write(evictionLine(summary, new Date()));
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
  const { limit, windowMs } = readPlan(plan);
  const window = `${limit} requests in ${windowMs / 1000} s`;
  return typeof plan === "string" ? `${plan}, ${window}` : window;
}

/** Where there is no browser, the URL stands in the greeting anyway. */
function openInBrowser(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const opener = spawn(openers[process.platform] ?? "xdg-open", [url], { stdio: "ignore", detached: true });
  opener.on("error", (error) => process.stderr.write(`landing-page-mock: --open: ${error.message}\n`));
  opener.unref();
}

/**
 * The state is written first, so that it is safe whatever happens next, and once more if a request came in meanwhile.
 * npx passes on a Ctrl-C that the process has got already: a second signal only ends the wait for callers, a third everything.
 */
function stopOnSignal(
  server: RunningServer,
  service: MockService,
  exportFile: string | undefined,
  activity: { readonly answers: number },
): void {
  const save = async () => exportFile !== undefined && exportState(service, exportFile);
  const hurry = Promise.withResolvers<void>();
  let signals = 0;
  const stop = async (): Promise<void> => {
    signals += 1;
    if (signals > 2) process.exit(1);
    if (signals > 1) {
      hurry.resolve();
      return;
    }
    const { answers } = activity;
    await save();
    await Promise.race([server.close(), hurry.promise]);
    if (activity.answers !== answers) await save();
    process.exit(0);
  };
  const onSignal = () => {
    stop().catch((error: unknown) => {
      process.stderr.write(`landing-page-mock: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    });
  };
  // SIGHUP is what a closed terminal sends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
}
