// Runs the suites that the README files and the guides show.
import { describe } from "vitest";
import { writeSnippets } from "../../.ci/snippets.ts";

const suites = writeSnippets().filter(({ path }) => path?.endsWith(".test.ts"));

describe.for(suites)("$file:$line", async ({ path = "" }) => void (await import(path)));
