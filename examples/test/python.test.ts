import { describe, test } from "vitest";
import { runExample, start } from "./program.ts";

describe.concurrent("a program in Python", () => {
  test("needs only the standard library to call the command-line server", async ({ expect, onTestFinished }) => {
    const mock = start("landing-pages-mock", ["--port", "0"]);
    onTestFinished(() => void mock.child.kill("SIGKILL"));
    await mock.printed("http://127.0.0.1:");
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(mock.output())?.[0] ?? "";
    const python = start("python3", ["python/publish.py"], {
      LANDING_PAGES_BASE_URL: url,
      LANDING_PAGES_API_KEY: "test_python",
    });

    expect(await python.ended, python.output()).toBe(0);
    expect(python.output()).toMatch(/^201 https:\/\/\S+\/kyoto-tea \(\d+ requests left\)\n400 .*slug.*\n204\n$/);
    mock.child.kill("SIGTERM");
    expect(await mock.ended, mock.output()).toBe(0);
  });

  test("that is swept in a process of its own reports everything that it leaves behind", async ({ expect }) => {
    const cli = "../packages/mock-server/src/cli.ts";
    // In this sample, the response to a create is lost and a delete is refused.
    const sample = ["--max-runs", "8", "--random-seed", "24"];
    const { code, output } = await runExample([cli, "sweep", ...sample, "--", "python3", "python/publish.py"], {});

    expect(output).toContain("8 runs");
    expect(output).toContain("nothing found");
    expect(code, output).toBe(0);
  });
});
