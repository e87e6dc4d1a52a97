import type { Options } from "tsup";
import { packageBuild } from "../../tsup.base.ts";
import { buildApp } from "./src/inspector/build-app.ts";

/** Puts the inspector's script and style sheet in place of the module that bundles them on demand inside the repository. */
const inspectorAssets: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "inspector-assets",
  setup(build) {
    build.onLoad({ filter: /inspector[/\\]assets\.ts$/ }, async () => {
      const { script, style } = await buildApp("src/inspector/app");
      return {
        contents: `export const assets = { script: ${inPieces(script)}, style: ${inPieces(style)} };`,
        loader: "js",
      };
    });
  },
};

/** A long text as an expression whose lines can be broken. */
function inPieces(text: string): string {
  return `${JSON.stringify(Array.from({ length: Math.ceil(text.length / 100) }, (_, index) => text.slice(index * 100, (index + 1) * 100)))}.join("")`;
}

export default packageBuild(
  ["index", "node", "msw", "vitest", "assert", "check", "sweep", "cli", "old-command"].map((name) => `src/${name}.ts`),
  { esbuildPlugins: [inspectorAssets] },
);
