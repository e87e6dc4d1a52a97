// The process of one contender: `node contender.ts FILE NAME ARGUMENT`. It runs the tasks that the parent sends, replies with the
// results, and ends with the parent.
import type { Contenders, Order, Reply, Task } from "./measure.ts";

const [file = "", name = "", argument = ""] = process.argv.slice(2);
// The parent ends this process, so ignore the interrupt that the keyboard sends to both.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());
const { contenders } = (await import(file)) as { contenders: Contenders }; // why: every file that is started this way exports it
const tasks = await contenders[name]?.(argument);
process.on("message", (order: Order) => void obey(order).then(reply, fail));
reply(undefined);

async function obey({ task, how, input, inFlight = 1, durationMs = 0 }: Order): Promise<unknown> {
  const run = tasks?.[task];
  if (run === undefined) throw new Error(`${name} has no task ${task}`);
  return how === "call" ? await run(input) : await cpuPerCall(run, inFlight, durationMs);
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

function reply(value: unknown): void {
  send({ value });
}

function fail(error: unknown): void {
  send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

function send(message: Reply): void {
  process.send?.(message);
}
