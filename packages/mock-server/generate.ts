import { writeFile } from "node:fs/promises";
import { generatedFiles } from "./generated-files.ts";

for (const [path, text] of Object.entries(await generatedFiles()))
  await writeFile(new URL(`../../${path}`, import.meta.url), text);
