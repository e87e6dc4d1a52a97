// How all packages are built: what is bundled costs a start-up less, because it is one file without the parts nobody uses.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig } from "tsup";

/** Builds a package from its entries, with the code of some dependencies inside; their licences travel along. */
export function packageBuild(entry: string[], bundled: string[]) {
  return defineConfig({
    entry,
    format: "esm",
    target: "node22",
    platform: "node",
    dts: true,
    sourcemap: true,
    clean: true,
    noExternal: bundled,
    // One entry is one file: what it loads late waits inside it, unevaluated.
    splitting: entry.length > 1,
    esbuildOptions(options) {
      // Half of what is parsed at every start would be comments and indentation. Names stay, for stack traces.
      options.minifyWhitespace = true;
      options.minifySyntax = true;
    },
    async onSuccess() {
      const others = bundled.filter((name) => !name.startsWith("@landing-page-service/"));
      if (others.length > 0) writeFileSync("dist/THIRD-PARTY-LICENSES.txt", others.map(readLicence).join("\n"));
    },
  });
}

function readLicence(name: string): string {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (file === undefined) throw new Error(`${name} has no licence to bundle`);
  return `${name}\n\n${readFileSync(`${folder}/${file}`, "utf8")}`;
}
