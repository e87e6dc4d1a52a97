// Runs the steps of the workflows as a runner would. Commands of the reader's app are replaced.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { describe, test } from "vitest";
import { parse } from "yaml";
import { createFolder, findPort, start } from "./program.ts";

interface Job {
  env?: Record<string, string>;
  steps: { run?: string; uses?: string; if?: string }[];
}

const request = `curl -fsS -m 2 -H "Authorization: Bearer $LANDING_PAGES_API_KEY" "$LANDING_PAGES_BASE_URL/api/content"`;
/** Commands of the reader's package manager and app, replaced by one request. */
const replacements = [
  ["npm ci", "true"],
  ["npm test", request],
  ["npm run publish", `bash -c '${request}'`],
  ["npx ", ""],
] as const;

async function runJob(workflow: string, name: string, folder: string, env: Record<string, string> = {}) {
  const text = await readFile(join(import.meta.dirname, `../github-actions/${workflow}.yml`), "utf8");
  const { jobs } = parse(text.replaceAll("4010", String(await findPort()))) as { jobs: Record<string, Job> }; // why: a workflow
  const job = jobs[name];
  if (job === undefined) throw new Error(`${workflow}.yml has no job ${name}`);
  const commands = job.steps.flatMap((step) => (step.run === undefined || step.if !== undefined ? [] : [step.run]));
  const script = replacements.reduce((lines, [from, to]) => lines.replaceAll(from, to), commands.join("\n"));
  const lines = [`cd ${folder}`, "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT", script];
  const program = start("bash", ["-euo", "pipefail", "-c", lines.join("\n")], { ...job.env, ...env });
  return { code: await program.ended, output: program.output() };
}

describe.concurrent("a workflow", () => {
  test("starts the mock server, and the app's tests reach it", async ({ expect, onTestFinished }) => {
    const { code, output } = await runJob("test", "test", await createFolder({ onTestFinished }));

    expect(code, output).toBe(0);
    expect(output).toContain(`"data":[]`);
  });

  test("sweeps a script of the app", async ({ expect, onTestFinished }) => {
    const { code, output } = await runJob("test", "sweep", await createFolder({ onTestFinished }));

    expect(code, output).toBe(0);
    expect(output).toContain("nothing found");
  });

  test("fails every night once the service responds differently", async ({ expect, onTestFinished }) => {
    const [service, changed] = await Promise.all(
      [{}, { dialect: { switches: { "list-envelope": "items" } } } as const].map(async (options) => {
        const server = await listen(createMockService(options), { port: 0 });
        onTestFinished(() => server.close());
        return { LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: "test_nightly" };
      }),
    );
    const folder = await createFolder({ onTestFinished });
    const written = start("landing-pages-mock", ["check", "--write-dialect", join(folder, "dialect.json")], service);
    expect(await written.ended, written.output()).toBe(0);

    const [same, different] = await Promise.all(
      [service, changed].map((env) => runJob("nightly", "drift", folder, env)),
    );

    expect([same?.code, different?.code], `${same?.output}${different?.output}`).toEqual([0, 1]);
  });
});
