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
  const headings = [...new Set(rows.map(([, gap]) => gap.heading))];
  const ordered = headings.flatMap((heading) => rows.filter(([, gap]) => gap.heading === heading));
  return `<!-- Written by \`pnpm run generate\` from packages/contract/src: gaps.ts and dialect/presets. -->

# What the spec leaves open

The spec documents ${Object.keys(statements).length} things that a caller can see, and leaves ${rows.length} questions open. The mock server answers
each as in bold unless told otherwise; the SDK works with every other reading too.
[\`check\`](checking-a-service.md) asks a real service which it speaks.

${ordered.map(([id, gap]) => item(id, gap)).join("\n")}

## How to switch

A reading by name, a preset, or a [file](dialects.md) for what no reading names:

\`\`\`ts
import { createMockService } from "@landing-page-service/mock-server";

createMockService({ dialect: { switches: { "list-envelope": "items", "page-id": "_id" } } });
createMockService({ dialect: "mongo-like" }); // on the command line, --dialect mongo-like
\`\`\`

## Presets

${Object.entries<DialectFile>(dialectPresets)
  .map(([name, { summary }]) => `- \`${name}\`: ${summary}`)
  .join("\n")}
`;
}

function item(id: string, { question, readings, sdk }: Gap): string {
  const [assumed = "", ...others] = Object.entries(readings).map(([name, text]) => named(name, text));
  const lines = [`**${assumed}**`, ...others, ...(sdk === undefined ? [] : [`_SDK:_ ${sdk}`])];
  return `- <a id="${id}"></a>\`${id}\` ${question}<br>${lines.join("<br>")}`;
}

/** A reading whose name says it all needs no text. */
function named(name: string, text: string): string {
  const words = text.toLowerCase().match(/[\w.]+/g) ?? [];
  const isTold = !text.includes("{") && words.every((word) => name.toLowerCase().includes(word.replace(/\.$/, "")));
  return isTold ? `\`${name}\`` : `\`${name}\`: ${text}`;
}
