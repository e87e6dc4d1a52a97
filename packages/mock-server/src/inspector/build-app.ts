import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Bundles `app.tsx` and `app.css` in `folder`: at the first request inside the repository, and when the package is built. */
export async function buildApp(folder: string): Promise<{ script: string; style: string }> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "app.tsx"), join(folder, "app.css")],
    outdir: "/",
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    banner: { js: ["preact", "@preact/signals"].map((name) => readLicence(name, folder)).join("\n") },
  });
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}

/** The licence of a bundled library, as a comment. */
function readLicence(library: string, folder: string): string {
  const file = join(folder, "../../../node_modules", library, "LICENSE");
  return `/*! ${library}\n\n${readFileSync(file, "utf8")}*/`;
}
