// How all packages are built: our own code in ES modules, dependencies left where npm installs them.
import { defineConfig, type Options } from "tsup";

/** Builds a package from its entry points. */
export function packageBuild(entry: string[], options: Pick<Options, "esbuildPlugins" | "loader"> = {}) {
  return defineConfig({
    entry,
    format: "esm",
    target: "node22",
    platform: "node",
    // The types name what these libraries declare, whatever library a user compiles with.
    dts: { banner: '/// <reference lib="es2022.error" />\n/// <reference lib="esnext.disposable" />' },
    sourcemap: true,
    clean: true,
    // A JSON file stays a file of its own. In the bundle its text would be in the source map a second time.
    loader: { ".json": "copy" },
    ...options,
    esbuildOptions(esbuild) {
      // Escaped, text in another script would be six times as long.
      esbuild.charset = "utf8";
      // An uncaught error prints the line it was thrown at. Short lines keep that readable.
      esbuild.lineLimit = 120;
    },
  });
}
