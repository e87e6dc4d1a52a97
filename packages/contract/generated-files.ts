// The files in the repository that are written from the tables of this package; `pnpm run generate` writes them anew.
import * as prettier from "prettier";
import { dialectPresets, type DialectFile } from "./src/dialect.ts";
import { type Gap, gaps, type GapId, statements, type Statement } from "./src/index.ts";
import { openApiDocument } from "./src/openapi.ts";

/** Text of every generated file, by its path from the root of the repository. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    "docs/openapi.json": await formatted(JSON.stringify(openApiDocument()), "json"),
    "docs/spec-gaps.md": await formatted(specGapsPage(), "markdown"),
  };
}

function formatted(text: string, parser: string): Promise<string> {
  return prettier.format(text, { parser, printWidth: 120 });
}

function specGapsPage(): string {
  const rows = Object.entries<Gap>(gaps);
  const switched = rows.filter(([, gap]) => readings(gap).length > 1);
  return `<!-- Written by \`pnpm run generate\` from packages/contract/src: gaps.ts, presets.ts and statements.ts. -->

# What the spec leaves open

The spec documents ${Object.keys(statements).length} things that a caller can see, and leaves ${rows.length} questions open.
For each question our reference service, \`mock-server\`, decides one way. ${switched.length} of them are switches: the service can speak
every other reading that is listed here, and the SDK works with each of them, without configuration.

- [What is documented](#what-is-documented)
- [What is assumed](#what-is-assumed)
- [How to switch](#how-to-switch)
- [Presets](#presets)
- [Every gap](#every-gap)

Which readings does the real service speak? [Ask it](checking-a-service.md).

## What is documented

Nothing here can be switched: \`check\` reports a service that does otherwise as broken.

| Statement | Heading of the spec | Id |
| --- | --- | --- |
${Object.entries<Statement>(statements)
  .map(([id, { heading, statement }]) => `| ${cell(statement)} | ${heading} | \`${id}\` |`)
  .join("\n")}

## What is assumed

| Gap | Question | We assume | Other readings |
| --- | --- | --- | --- |
${rows.map(([id, gap]) => glance(id, gap)).join("\n")}

## How to switch

In process, name the readings that differ, or a preset:

\`\`\`ts
import { createMockService } from "@landing-page-service/mock-server";

createMockService({ dialect: { switches: { "list-envelope": "items", "page-id": "_id" } } });
createMockService({ dialect: "mongo-like" });
\`\`\`

On the command line, name a preset or a JSON file of readings, such as the one that \`check --write-dialect\` writes:

\`\`\`console
npx landing-page-mock serve --dialect mongo-like
npx landing-page-mock serve --dialect dialect.json
\`\`\`

A switch or reading that does not exist is refused, and the nearest one named. \`list-envelope: "array"\` leaves no room
for a total, so \`list-total\` is then always \`none\`.

## Presets

| Preset | Speaks | Switches |
| --- | --- | --- |
${Object.entries<DialectFile>(dialectPresets)
  .map(([name, { summary, switches = {} }]) => `| \`${name}\` | ${summary} | ${readingsOf(switches)} |`)
  .join("\n")}

## Every gap

${rows.map(([id, gap]) => section(id, gap)).join("\n\n")}
`;
}

function glance(id: string, gap: Gap): string {
  const [assumed = "", ...others] = readings(gap);
  const names = others.map((name) => `\`${name}\``).join(", ");
  return `| [\`${id}\`](#${id}) | ${cell(gap.question)} | ${cell(gap.readings[assumed] ?? "")} | ${names || "–"} |`;
}

function section(id: string, gap: Gap): string {
  const [assumed = "", ...others] = readings(gap);
  const line = (name: string, note: string) => `- \`${name}\`${note}: ${gap.readings[name]}`;
  return `### ${id}

${gap.question} _(spec, "${gap.heading}")_

${[line(assumed, ", assumed"), ...others.map((name) => line(name, ""))].join("\n")}

SDK: ${gap.sdk}`;
}

function readingsOf(dialect: Partial<Record<GapId, string>>): string {
  const pairs = Object.entries(dialect).map(([id, reading]) => `\`${id}: ${reading}\``);
  return pairs.length === 0 ? "none" : pairs.join(", ");
}

function readings(gap: Gap): string[] {
  return Object.keys(gap.readings);
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
