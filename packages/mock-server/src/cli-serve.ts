import { readFileSync } from "node:fs";
import type { OptionValues } from "./cli-arguments.ts";
import { UsageError } from "./cli-arguments.ts";
import { parseCatalogue } from "./domains.ts";
import type { Plan } from "./limiter.ts";
import { listen, type RunningServer } from "./node.ts";
import { createMockService, type MockService, type MockServiceOptions } from "./service.ts";

type ServeOptions = OptionValues<"serve">;

/** Starts the service, says how to call it, and resolves; the process then lives until a signal ends it. */
export async function serve(options: ServeOptions): Promise<void> {
  const service = createMockService(readServiceOptions(options));
  const server = await listen(service, {
    port: readNumber("port", options.port ?? "4010", 0, 65_535),
    host: options.host ?? "127.0.0.1",
    allowedHosts: options["allowed-host"] ?? [],
    control: options.token === undefined ? true : { token: options.token },
  });
  stopOnSignal(server);
  process.stdout.write(greeting(server, service, options));
}

function readServiceOptions(options: ServeOptions): MockServiceOptions {
  return {
    plan: readPlan(options.plan ?? "starter"),
    latencyMs: readNumber("latency", options.latency ?? "0", 0, 2 ** 31 - 1),
    ...(options.domains !== undefined && { domains: readJsonFile(options.domains, parseCatalogue) }),
  };
}

function greeting({ url }: RunningServer, service: MockService, { plan = "starter", token }: ServeOptions): string {
  const { limit } = service.account("test_demo").rateLimit;
  return [
    `Landing Page Service (mock) listens on ${url}`,
    ``,
    `  curl -i -H "Authorization: Bearer test_demo" ${url}/api/content`,
    ``,
    `Keys      any that begins with test_ opens an empty account of its own`,
    `Plan      ${plan}${plan === "unlimited" ? "" : `: ${limit} requests per window`}`,
    `API       ${url}/openapi.json`,
    `Control   ${url}/__mock/openapi.json${token === undefined ? "" : " (with the token)"}`,
    `Stop      Ctrl-C`,
    ``,
  ].join("\n");
}

function stopOnSignal(server: RunningServer): void {
  let isStopping = false;
  const stop = (): void => {
    // Whoever asks twice does not want to wait.
    if (isStopping) process.exit(1);
    isStopping = true;
    void server.close();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
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

/** Reads a JSON file; whatever is wrong with it is told with its name. */
function readJsonFile<Value>(file: string, read: (value: unknown) => Value): Value {
  try {
    return read(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^ENOENT: .*/, "there is no such file") : String(error);
    throw new Error(`${file}: ${reason}`, { cause: error });
  }
}
