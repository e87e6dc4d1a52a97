// The browser's part, made into one script and one style sheet. In a published package the build has put their text in place of this file.
import { join } from "node:path";
import { buildApp } from "./build-app.ts";

/** Text of the files that the browser loads. */
export const assets: { readonly script: string; readonly style: string } = await buildApp(
  join(import.meta.dirname, "app"),
);
