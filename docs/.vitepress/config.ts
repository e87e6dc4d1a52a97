// The site of guides and API reference. Everything it shows is served by itself: no font, script or search of another host.
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { titleOf } from "./titles.ts";

const repository = "https://github.com/OWNER/landing-page-service-toolkit";

const guides = (...names: string[]): DefaultTheme.SidebarItem[] =>
  names.map((name) => ({ text: titleOf(`${name}.md`), link: `/${name}` }));

export default defineConfig({
  title: "Landing Page Service toolkit",
  description: "A typed client and a mock server for the Landing Page Service.",
  lang: "en",
  outDir: "../site",
  cleanUrls: true,
  srcExclude: ["node_modules/**"],
  rewrites: { "README.md": "index.md", "decisions/README.md": "decisions/index.md" },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/favicon.svg" }]],
  markdown: {
    // The default themes have words too pale to read.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      // What lies beside the guides is shown by the repository.
      markdown.core.ruler.push("repository-links", ({ tokens }) => {
        for (const link of tokens.flatMap(({ children }) => children ?? [])) {
          const path = /^\.\.\/(.+)$/.exec(link.attrGet("href") ?? "")?.[1];
          if (path !== undefined) link.attrSet("href", `${repository}/blob/main/${path}`);
        }
      });
      const fence = markdown.renderer.rules.fence;
      // What looks like a template of Vue is shown as it stands.
      const inline = markdown.renderer.rules.code_inline;
      markdown.renderer.rules.code_inline = (...args) =>
        (inline?.(...args) ?? "").replace(/^<code(?! v-pre)/, "<code v-pre");
      // A block whose fence says `output` is what the block before it prints: the theme shows it as such.
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const html = fence?.(tokens, index, ...rest) ?? "";
        const isOutput = /\boutput\b/.test(tokens[index]?.info ?? "");
        return isOutput ? `<div class="printed">${html}</div>` : html;
      };
    },
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: "/quick-start" },
      { text: "API", link: "/api/modules" },
    ],
    socialLinks: [{ icon: "github", link: repository, ariaLabel: "Repository" }],
    outline: [2, 3],
    // The default label differs from the text, which speech control cannot say.
    notFound: { linkLabel: "Take me home" },
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // Guides first, then the gaps, symbols, and decisions last.
            boostDocument: (id: string) =>
              id.startsWith("/api/")
                ? 0.01
                : id.startsWith("/decisions/")
                  ? 0.005
                  : id.startsWith("/spec-gaps")
                    ? 0.4
                    : 1,
          },
        },
      },
    },
    sidebar: [
      {
        text: "Client",
        items: guides("quick-start", "client", "answers", "errors-and-retries", "iteration", "analytics", "fleet"),
      },
      {
        text: "Mock server",
        items: guides("testing", "sweep", "mock-server", "faults-and-clock", "inspector", "domain-assignment"),
      },
      {
        text: "The service",
        items: guides("checking-a-service", "spec-gaps", "dialects"),
      },
      { text: "About", items: guides("performance", "security") },
      {
        text: "API",
        items: ["sdk", "mock-server", "contract"].map((name) => ({ text: name, items: modules(name) })),
      },
      {
        text: "Decisions",
        items: [
          { text: "Overview", link: "/decisions/" },
          ...globSync("decisions/0*.md", { cwd: dirname(import.meta.dirname) })
            .toSorted()
            .map((file) => ({ text: titleOf(file), link: `/${file.slice(0, -3)}` })),
        ],
      },
    ],
  },
});

/** The modules that a package exports, as typedoc has written them; one that has a single module is one page. */
function modules(packageName: string): DefaultTheme.SidebarItem[] {
  return globSync(`api/${packageName}{.md,/*.md}`, { cwd: dirname(import.meta.dirname) })
    .toSorted()
    .filter((file) => basename(file) !== "modules.md")
    .map((file) => ({ text: moduleName(packageName, basename(file, ".md")), link: `/${file.slice(0, -3)}` }));
}

function moduleName(packageName: string, module: string): string {
  const isMain = module === "index" || module === packageName;
  return `@landing-page-service/${packageName}${isMain ? "" : `/${module}`}`;
}
