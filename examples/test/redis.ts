// A Redis for the fleet: the one at REDIS_URL, or else Debian's redis-server on a free port.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findPort } from "./program.ts";

/** Returns its URL, and stops it on disposal if it was started here; `undefined` if there is no Redis. */
export async function startRedis(triesLeft = 5): Promise<({ url: string } & AsyncDisposable) | undefined> {
  const known = process.env["REDIS_URL"];
  if (known) return { url: known, [Symbol.asyncDispose]: async () => {} };
  const port = await findPort();
  const options = { port, bind: "127.0.0.1", save: "", appendonly: "no", "maxmemory-policy": "noeviction" };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  const outcome = await new Promise((resolve) => {
    child.stdout.on("data", (text: Buffer) => text.includes("Ready to accept connections") && resolve("ready"));
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    child.once("close", () => resolve("ended"));
  });
  if (outcome === "ENOENT") return undefined;
  // Another process may have taken the port meanwhile.
  if (outcome !== "ready" && triesLeft > 0) return startRedis(triesLeft - 1);
  if (outcome !== "ready") throw new Error(`redis-server was not ready: ${String(outcome)}`);
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "close");
  };
  return { url: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}
