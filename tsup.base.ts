// How all packages are built: what is bundled costs a start-up less, because it is one file without the parts nobody uses.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];
type PluginBuild = Parameters<Plugin["setup"]>[0];

/**
 * Builds a package from its entries, with the code of some dependencies inside; their licences travel along. The doors, which
 * are entries by their names, run the entry `first` before all else: esbuild does not keep the order of what it splits. Source
 * maps leave out the text of files that are `data`: nobody steps through it, and it would be in the package twice.
 */
export function packageBuild(
  entry: string[],
  bundled: string[],
  { plugins = [] as Plugin[], first = "", doors = [] as string[], data = [] as string[] } = {},
) {
  return defineConfig({
    entry,
    format: "esm",
    target: "node22",
    platform: "node",
    // What the types name is found whatever library a user compiles with.
    dts: { banner: '/// <reference lib="es2022.error" />\n/// <reference lib="esnext.disposable" />' },
    sourcemap: true,
    clean: true,
    noExternal: bundled,
    esbuildPlugins: [...plugins, shortLines],
    plugins: [
      {
        name: "first",
        renderChunk(code, { path, map }) {
          const isDoor = doors.some((door) => path.endsWith(`dist/${door}.js`));
          // On the line of the first import, so that source maps stay right.
          return isDoor ? { code: `import "./${first}.js"; ${code}`, map: map ?? null } : undefined;
        },
      },
    ],
    esbuildOptions(options) {
      // An uncaught error shows the line it was thrown at: minified, that is a hundred kilobytes before the message. So
      // lines stay as people wrote them, and no longer than this where they can be broken.
      options.lineLimit = 120;
      // Escaped, text in another script would be six times as long.
      options.charset = "utf8";
    },
    async onSuccess() {
      const others = bundled.filter((name) => !name.startsWith("@landing-page-service/"));
      if (others.length > 0) writeFileSync("dist/THIRD-PARTY-LICENSES.txt", others.map(readLicence).join("\n"));
      if (data.length > 0)
        for (const file of readdirSync("dist")) if (file.endsWith(".js.map")) leaveOut(data, `dist/${file}`);
    },
  });
}

/** Makes what is too long to be broken breakable, line by line, so that source maps stay right: comments and regular expressions. */
const shortLines = {
  name: "short-lines",
  setup(build: PluginBuild) {
    build.onLoad({ filter: /\.[jt]s$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replace(/^(\s*)(\/\/|\* )(?!.*\*\/).{130,}$/gm, (_, indent: string, mark: string) => indent + mark)
        .replace(
          /(?<=^\s*|= | (?=\/(?:\^|\(\?)))\/([^/*\s].{109,})\/([dgimsuvy]*)(?=[,;]$)/gm,
          (_, source: string, flags: string) => `new RegExp(${JSON.stringify(source)}, "${flags}")`,
        ),
      loader: path.endsWith(".ts") ? "ts" : "js",
    }));
  },
} satisfies Plugin;

function leaveOut(data: readonly string[], file: string): void {
  const map = JSON.parse(readFileSync(file, "utf8")) as { sources: string[]; sourcesContent: (string | null)[] }; // why: esbuild writes them so
  const isData = map.sources.map((source) => data.some((name) => source.endsWith(name)));
  if (!isData.includes(true)) return;
  map.sourcesContent = map.sourcesContent.map((text, at) => (isData[at] === true ? null : text));
  writeFileSync(file, JSON.stringify(map));
}

function readLicence(name: string): string {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (file === undefined) throw new Error(`${name} has no licence to bundle`);
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { version: string }; // why: npm publishes no package without one
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8")}`;
}
