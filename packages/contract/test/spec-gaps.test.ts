import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generatedFiles } from "../generated-files.ts";
import { dialectPresets, resolveDialect } from "../src/dialect.ts";
import { type Gap, gaps, referenceSwitches, switchIds } from "../src/index.ts";

const root = join(import.meta.dirname, "../../..");

test.for(Object.entries(await generatedFiles()))(
  "%s matches the tables; `pnpm run generate` updates it",
  ([path, text]) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(text);
  },
);

test("every comment that names a gap names one that exists", () => {
  const named = globSync("packages/*/src/**/*.ts", { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .filter((line) => line.includes("spec-gaps.md"))
      .flatMap((line) => [...line.matchAll(/#([a-z][a-z-]*)/g)].map((match) => ({ path, id: match[1] ?? "" }))),
  );

  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ id }) => id !== "presets" && !Object.hasOwn(gaps, id))).toEqual([]);
});

test("the reference dialect has the first interpretation of every gap that has more than one", () => {
  const switched = Object.entries<Gap>(gaps).filter(([, gap]) => Object.keys(gap.interpretations).length > 1);

  expect(Object.entries(referenceSwitches)).toEqual(
    switched.map(([id, gap]) => [id, Object.keys(gap.interpretations)[0]]),
  );
  expect(switchIds).toEqual(switched.map(([id]) => id));
});

test("every preset is a dialect, and names only interpretations that differ from the reference service", () => {
  for (const [name, { switches = {} }] of Object.entries(dialectPresets)) {
    expect(resolveDialect(name).switches).toMatchObject(switches);
    for (const [id, choice] of Object.entries(switches)) expect(referenceSwitches).not.toHaveProperty([id], choice);
  }
});
