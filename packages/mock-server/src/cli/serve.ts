import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dialectPresets, resolveDialect } from "@landing-page-service/contract/dialect";
import { checkPlace, exportState, importState, isSamePlace, readJsonFile } from "./files.ts";
import { type OptionValues, UsageError } from "./arguments.ts";
import { parseCatalogue } from "../domains/network.ts";
import { isLoopback } from "../http/host.ts";
import type { Plan } from "../state/limiter.ts";
import { listen, type RunningServer } from "../node.ts";
import { createMockService, type MockService, type MockServiceOptions } from "../service/service.ts";

type ServeOptions = OptionValues<"serve">;

/** Starts the service, says how to call it, and resolves; the process then lives until a signal ends it. */
export async function serve(options: ServeOptions): Promise<void> {
  checkTogether(options);
  const service = await prepareService(options);
  const server = await listen(service, {
    port: readNumber("port", options.port ?? "4010", 0, 65_535),
    host: options.host ?? "127.0.0.1",
    allowedHosts: options["allowed-host"] ?? [],
    control: options.token === undefined ? true : { token: options.token },
  });
  stopOnSignal(server, service, options["export-on-exit"]);
  process.stdout.write(greeting(server, service, options));
  if (options.open) openInBrowser(`${server.url}/openapi.json`);
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
  return {
    plan: readPlan(options.plan ?? "starter"),
    latencyMs: readNumber("latency", options.latency ?? "0", 0, 2 ** 31 - 1),
    ...(options.domains !== undefined && { domains: readJsonFile(options.domains, parseCatalogue) }),
    ...(options.dialect !== undefined && { dialect: readDialect(options.dialect) }),
  };
}

/** A preset by its name, or else a file; a name that is neither is told as a misspelt preset. */
function readDialect(text: string): ReturnType<typeof resolveDialect> {
  const isFile = !Object.hasOwn(dialectPresets, text) && existsSync(text);
  return isFile ? readJsonFile(text, resolveDialect) : resolveDialect(text);
}

function greeting({ url }: RunningServer, service: MockService, options: ServeOptions): string {
  const { plan = "starter", token, dialect = "reference" } = options;
  const exportFile = options["export-on-exit"];
  return `Landing Page Service (mock) listens on ${url}

  curl -i -H "Authorization: Bearer test_demo" ${url}/api/content

Keys      any that begins with test_ opens an account of its own
Plan      ${plan}${plan === "unlimited" ? "" : `, ${service.account("test_demo").rateLimit.limit} requests in a window`}
Domains   ${service.domains.domains.length}
Dialect   ${dialect}
API       ${url}/openapi.json
Control   ${url}/__mock/openapi.json${token === undefined ? "" : ", with the token"}
Stop      Ctrl-C${exportFile === undefined ? "" : `, which writes ${exportFile}`}
`;
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
function stopOnSignal(server: RunningServer, service: MockService, exportFile: string | undefined): void {
  const lastRequest = () => service.requests().at(-1)?.id;
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
    const last = lastRequest();
    await save();
    await Promise.race([server.close(), hurry.promise]);
    if (lastRequest() !== last) await save();
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

function readPlan(text: string): Plan {
  if (text === "free" || text === "starter" || text === "pro" || text === "unlimited") return text;
  const [, limit, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text) ?? [];
  if (limit !== undefined) return { limit: Number(limit), windowMs: Number(seconds) * 1000 };
  throw new UsageError(
    `--plan: expected free, starter, pro, unlimited, or LIMIT/SECONDS such as 5/60, got ${JSON.stringify(text)}.`,
  );
}

function readNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${option}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(text)}.`);
}
