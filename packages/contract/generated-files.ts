// The files in the repository that are written from the tables of this package; `pnpm run generate` writes them anew.
import * as prettier from "prettier";
import { type DialectFile, dialectPresets, dialectSchema } from "./src/dialect.ts";
import { type Gap, gaps, statements, type Statement } from "./src/index.ts";
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
  const headings = [...new Set(rows.map(([, gap]) => gap.heading))];
  return `<!-- Written by \`pnpm run generate\` from packages/contract/src: gaps.ts, statements.ts and dialect/presets. -->

# What the spec leaves open

The spec documents ${Object.keys(statements).length} things that a caller can see, and leaves ${rows.length} questions open. For each of these our reference service, the mock
server, decides one way, and the SDK works with every other. [What is documented](#what-is-documented) ·
[What is assumed](#what-is-assumed) · [How to switch](#how-to-switch) · [Presets](#presets). Which readings does the real service speak?
[Ask it](checking-a-service.md).

## What is documented

Nothing here can be switched: \`check\` reports a service that does otherwise as broken.

${Object.values<Statement>(statements)
  .map(({ statement }) => `- ${statement}`)
  .join("\n")}

## What is assumed

The first reading is what we assume; others can be [switched](#how-to-switch) to.

${headings
  .map((heading) =>
    section(
      heading,
      rows.filter(([, gap]) => gap.heading === heading),
    ),
  )
  .join("\n\n")}

## How to switch

By name, in process or on the command line. What no reading names is written as a template in a [dialect file](dialects.md).

\`\`\`ts
import { createMockService } from "@landing-page-service/mock-server";

createMockService({ dialect: { switches: { "list-envelope": "items", "page-id": "_id" } } });
createMockService({ dialect: "mongo-like" });
\`\`\`

\`\`\`console
npx landing-page-mock serve --dialect mongo-like
\`\`\`

A switch or reading that does not exist is refused, and the nearest one named. \`list-envelope: "array"\` leaves no room
for a total, so \`list-total\` is then always \`none\`.

## Presets

${Object.entries<DialectFile>(dialectPresets)
  .map(([name, { summary }]) => `- \`${name}\`: ${summary}`)
  .join("\n")}
`;
}

function section(heading: string, rows: readonly (readonly [string, Gap])[]): string {
  return `### ${heading}\n\n${rows.map(([id, gap]) => line(id, gap)).join("\n")}`;
}

function line(id: string, { question, readings, sdk }: Gap): string {
  const [assumed = ["", ""], ...others] = Object.entries(readings);
  const named = others.map(([name, text]) => (text.includes(`\`${name}\``) ? `\`${name}\`` : `\`${name}\`: ${text}`));
  const either = named.length === 0 ? "" : ` _Or_ ${named.join(named.some((one) => one.includes(":")) ? " " : ", ")}`;
  return `- <a id="${id}"></a>**\`${id}\`** ${question} \`${assumed[0]}\`: ${assumed[1]}${either} _SDK:_ ${sdk}`;
}
