// The site of guides and API reference. It loads no font, script or search index from another host.
import { copyFileSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { summaryOf, titleOf } from "./titles.ts";

const repository = "https://github.com/OWNER/landing-page-service-toolkit";
const docs = dirname(import.meta.dirname);

const guides = (...names: string[]): DefaultTheme.SidebarItem[] =>
  names.map((name) => ({ text: titleOf(`${name}.md`), link: `/${name}` }));

export default defineConfig({
  title: "Landing Page Service toolkit",
  description: "A typed client and a mock server for the Landing Page Service.",
  lang: "en",
  outDir: "../site",
  cleanUrls: true,
  // The list of guides is for readers of the repository; the site has a home page and a sidebar.
  srcExclude: ["node_modules/**", "README.md"],
  rewrites: { "decisions/README.md": "decisions/index.md" },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/favicon.svg" }]],
  markdown: {
    // In the default themes, some words have too little contrast.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      // Links to files outside docs/ lead to the repository.
      markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
        const { relativePath } = env as { relativePath: string }; // why: VitePress sets it for every page
        for (const link of tokens.flatMap(({ children }) => children ?? [])) {
          const href = link.attrGet("href");
          if (href === null || !href.startsWith("../")) continue;
          const path = posix.join("docs", dirname(relativePath), href);
          if (!path.startsWith("docs/")) link.attrSet("href", `${repository}/blob/main/${path}`);
        }
      });
      const fence = markdown.renderer.rules.fence;
      // Vue would interpret braces in inline code.
      const inline = markdown.renderer.rules.code_inline;
      markdown.renderer.rules.code_inline = (...args) =>
        (inline?.(...args) ?? "").replace(/^<code(?! v-pre)/, "<code v-pre");
      // A block marked `output` is what the block before it prints; the theme shows it differently.
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const html = fence?.(tokens, index, ...rest) ?? "";
        const isOutput = /\boutput\b/.test(tokens[index]?.info ?? "");
        return isOutput ? `<div class="printed">${html}</div>` : html;
      };
    },
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: "/quick-start", activeMatch: "^/(?!api/).+" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
    ],
    socialLinks: [{ icon: "github", link: repository, ariaLabel: "Repository" }],
    outline: [2, 3],
    // The default label differs from the visible text, so voice control would not find it.
    notFound: { linkLabel: "Take me home" },
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // Guides first, then pages that mention everything, symbols, and decisions last. The browser gets this function as text.
            boostDocument: (id: string) => {
              const weights = {
                "/troubleshooting": 0.6,
                "/service": 0.5,
                "/spec-gaps": 0.4,
                "/api/": 0.01,
                "/decisions/": 0.005,
              };
              return Object.entries(weights).find(([start]) => id.startsWith(start))?.[1] ?? 1;
            },
          },
        },
      },
    },
    sidebar: [
      {
        text: "Client",
        items: guides("quick-start", "client", "responses", "errors-and-retries", "iteration", "analytics", "fleet"),
      },
      {
        text: "Mock server",
        items: guides("testing", "sweep", "mock-server", "faults-and-clock", "inspector", "domain-assignment"),
      },
      {
        text: "The service",
        items: guides("service", "spec-gaps", "dialects", "checking-a-service"),
      },
      { text: "Help", items: guides("troubleshooting", "recipes", "performance", "security") },
      {
        text: "API reference",
        items: ["sdk", "mock-server", "contract"].flatMap(entryPoints),
      },
      {
        text: "Decisions",
        items: [
          { text: "Overview", link: "/decisions/" },
          ...globSync("decisions/0*.md", { cwd: docs })
            .toSorted()
            .map((file) => ({ text: titleOf(file), link: `/${file.slice(0, -3)}` })),
        ],
      },
    ],
  },
  buildEnd({ outDir }) {
    writeForLanguageModels(outDir);
  },
});

/** The entry points of a package. typedoc has written a folder for each; that of the main one is called `index`. */
function entryPoints(packageName: string): DefaultTheme.SidebarItem[] {
  return globSync(`api/${packageName}/*/index.md`, { cwd: docs })
    .map((file) => posix.basename(dirname(file)))
    .toSorted((one, other) => Number(other === "index") - Number(one === "index") || one.localeCompare(other))
    .map((entry) => ({
      text: entry === "index" ? packageName : `${packageName}/${entry}`,
      link: `/api/${packageName}/${entry}/`,
    }));
}

/** Writes `llms.txt`, and each guide as Markdown beside its page. */
function writeForLanguageModels(outDir: string): void {
  const files = globSync(["*.md", "decisions/0*.md"], { cwd: docs })
    .filter((file) => file !== "README.md" && file !== "index.md")
    .toSorted();
  for (const file of files) {
    mkdirSync(dirname(join(outDir, file)), { recursive: true });
    copyFileSync(join(docs, file), join(outDir, file));
  }
  const list = files.map((file) => `- [${titleOf(file)}](/${file}): ${summaryOf(file)}`);
  writeFileSync(
    join(outDir, "llms.txt"),
    `# Landing Page Service toolkit\n\n> ${summaryOf("service.md")}\n\n${list.join("\n")}\n`,
  );
}
