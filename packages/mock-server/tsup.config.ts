import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/node.ts", "src/msw.ts", "src/vitest.ts", "src/check.ts", "src/cli.ts"],
  format: "esm",
  target: "node22",
  platform: "node",
  dts: true,
  sourcemap: true,
  clean: true,
});
