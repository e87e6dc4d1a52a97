import { packageBuild } from "../../tsup.base.ts";
import { buildApp } from "./src/inspector/build-app.ts";

/** Puts the text of the inspector's script and style sheet where the repository bundles them on demand. */
const inspectorAssets: NonNullable<NonNullable<Parameters<typeof packageBuild>[2]>["plugins"]>[number] = {
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

const doors = ["index", "node", "msw", "vitest", "assert", "check", "sweep"];

// With the contract inside, its zod and the mock's own are the same.
export default packageBuild(
  [...doors, "node-version", "cli"].map((name) => `src/${name}.ts`),
  ["@landing-page-service/contract", "zod", "preact", "@preact/signals"],
  { plugins: [inspectorAssets], first: "node-version", doors, data: ["/domains/catalogue.ts"] },
);
