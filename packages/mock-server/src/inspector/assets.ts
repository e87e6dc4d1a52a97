// The bundled script and style sheet of the browser. In a published package the build has replaced this file by their text.
import { join } from "node:path";
import { buildApp } from "./build-app.ts";

/** Contents of the files that the browser loads. */
export const assets: { readonly script: string; readonly style: string } = await buildApp(
  join(import.meta.dirname, "app"),
);
