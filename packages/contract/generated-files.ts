// The files in the repository that are written from the tables of this package; `pnpm run generate` writes them anew.
import * as prettier from "prettier";
import { type DialectFile, dialectPresets, dialectSchema } from "./src/dialect.ts";
import { type Gap, gaps, statements } from "./src/index.ts";
import { openApiDocument } from "./src/openapi.ts";

/** Text of every generated file, by its path from the root of the repository. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    "docs/openapi.json": await formatted(JSON.stringify(openApiDocument()), "json"),
    "packages/mock-server/dialect.schema.json": await formatted(JSON.stringify(dialectSchema()), "json"),
    "docs/spec-gaps.md": await formatted(specGapsPage(), "markdown"),
  };
}

function formatted(text: string, parser: string): Promise<string> {
  return prettier.format(text, { parser, printWidth: 120 });
}

function specGapsPage(): string {
  const rows = Object.entries<Gap>(gaps);
  const sections = Map.groupBy(rows, ([, { heading }]) => heading);
  return `<!-- Written by \`pnpm run generate\` from packages/contract/src: gaps.json and dialect/presets. -->

# What the spec leaves open

[The public spec](service.md) of the Landing Page Service documents ${Object.keys(statements).length} things that a caller can check, and leaves ${rows.length} questions
open. This page lists the questions. Above all, the spec shows no response body.

An **interpretation** is one way a service may behave where the spec is silent. If a question has several, the mock server uses the
first one, in bold, and you can [switch](#how-to-switch) to the others. The client works with all of them. To find out
how a real service behaves, [check it](checking-a-service.md).

## How to switch

Name the interpretations, or choose a [preset](#presets), which is a set of them:

\`\`\`ts
import { createMockService } from "@landing-page-service/mock-server";

createMockService({ dialect: { switches: { "list-envelope": "items", "page-id": "_id" } } });
createMockService({ dialect: "mongo-like" }); // on the command line, --dialect mongo-like
\`\`\`

If the responses of your service look like none of them, describe them in a [dialect file](dialects.md).

## Presets

${Object.entries<DialectFile>(dialectPresets)
  .map(([name, { summary }]) => `- \`${name}\`: ${summary}`)
  .join("\n")}

${Array.from(sections, ([heading, some]) => section(heading, some)).join("\n\n")}
`;
}

/** Headings of the spec that do not say what the questions are about. */
const titles: Readonly<Record<string, string>> = {
  "Page (landing page)": "Pages",
  "Gaps common to the endpoints": "Lists and responses",
  Endpoints: "Paths and methods",
  Events: "Webhooks",
};

function section(heading: string, rows: readonly (readonly [id: string, gap: Gap])[]): string {
  return `## ${titles[heading] ?? heading}\n\n${rows.map(([id, gap]) => item(id, gap)).join("\n\n")}`;
}

/** The anchor comes last, because the site's search takes what stands before the first link as the title. */
function item(id: string, { question, interpretations, sdk }: Gap): string {
  const [assumed = ["", ""], ...others] = Object.entries(interpretations);
  const lines = [
    described(`**\`${assumed[0]}\`**`, ...assumed),
    ...others.map(([name, text]) => described(`\`${name}\``, name, text)),
  ];
  const list = others.length === 0 ? assumed[1] : `Switch \`${id}\`:\n\n${lines.join("\n")}`;
  const client = sdk === undefined ? "" : `\n\n_Client:_ ${sdk}`;
  return `### ${question} <a id="${id}"></a>\n\n${list}${client}`;
}

function described(label: string, name: string, text: string): string {
  return `- ${label}${text === `\`${name}\`` ? "" : `: ${text}`}`;
}
