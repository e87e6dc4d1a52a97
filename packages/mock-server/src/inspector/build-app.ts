import { join } from "node:path";
import { build } from "esbuild";

/** Bundles the browser's part: at the first look at it inside the repository, and when the package is built; `folder` holds `app.tsx` and `app.css`. */
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
  });
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}
