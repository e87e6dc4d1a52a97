// A process of its own for whoever is measured: `node contender.ts FILE NAME ARGUMENT`. It does what the parent tells it
// to and tells back what came out; it ends when the parent does.
import { Bench } from "tinybench";
import type { Contenders, Order, Reply, Task } from "./measure.ts";

const [file = "", name = "", argument = ""] = process.argv.slice(2);
// The parent decides when it ends, also when an interrupt from the keyboard reaches both.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());
const { contenders } = (await import(file)) as { contenders: Contenders }; // every file that is started this way exports it
const tasks = await contenders[name]?.(argument);
process.on("message", (order: Order) => void obey(order).then(reply, fail));
reply(undefined);

async function obey({ task, how, input, inFlight = 1, durationMs = 0 }: Order): Promise<unknown> {
  const run = tasks?.[task];
  if (run === undefined) throw new Error(`${name} has no task ${task}`);
  switch (how) {
    case "answer":
      return await run(input);
    case "cpu":
      return await cpuPerCall(run, inFlight, durationMs);
    case "wall":
    default:
      return await wallPerCall(run, durationMs);
  }
}

/** Processor time of the whole process per call, in microseconds. */
async function cpuPerCall(run: Task, inFlight: number, durationMs: number): Promise<number> {
  const endMs = performance.now() + durationMs;
  let calls = 0;
  const callUntilEnd = async () => {
    for (; performance.now() < endMs; calls += 1) await run();
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, callUntilEnd));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Mean time per call, in microseconds. */
async function wallPerCall(run: Task, durationMs: number): Promise<number> {
  const bench = new Bench({ time: durationMs, iterations: 1, warmup: false, throws: true }).add(name, () => run());
  const [task] = await bench.run();
  if (task?.result.state !== "completed") throw new Error(`${name} was not measured: ${task?.result.state}`);
  return task.result.latency.mean * 1000;
}

function reply(value: unknown): void {
  send({ value });
}

function fail(error: unknown): void {
  send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

function send(message: Reply): void {
  process.send?.(message);
}
