// Publishes a folder of Markdown files with front matter: `node publish-folder.ts pages --dry-run`. It finds each page again by its
// slug, so a second run changes nothing, and a run after an interruption publishes the rest. For a nightly sync, let cron run it
// with `--delete`, which also deletes the pages that have no file.
import { parseArgs } from "node:util";
import { AuthenticationError, type CreatePage, LandingPages, type Page } from "@landing-page-service/sdk";
import { readPages } from "./pages.ts";
import { createProgress } from "./progress.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean", default: false }, delete: { type: "boolean", default: false } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("Usage: node publish-folder.ts FOLDER [--dry-run] [--delete]");
  process.exit(2);
}

const client = new LandingPages({ strict: true }); // LANDING_PAGES_API_KEY and LANDING_PAGES_BASE_URL; listed pages are whole
const inputs = await readPages(folder);
if (inputs.length === 0) throw new Error(`${folder} has no Markdown files`); // and do not delete all pages because of a wrong path
const existing = new Map<string, Page>();
for await (const page of client.pages.iterate()) existing.set(page.slug, page);

const progress = createProgress(inputs.length);
let failures = 0;
for (const [index, input] of inputs.entries()) {
  try {
    console.log(`${await publish(input, existing.get(input.slug))}  ${input.slug}`);
  } catch (error) {
    failures++;
    console.error(`failed     ${input.slug}: ${error instanceof Error ? error.message : String(error)}`);
    if (AuthenticationError.is(error)) break; // the key does not work for the others either
  }
  progress(index + 1);
}
if (values.delete && failures === 0) await deleteOthers(new Set(inputs.map(({ slug }) => slug)));
process.exitCode = failures === 0 ? 0 : 1;

async function publish(input: CreatePage, page: Page | undefined): Promise<string> {
  if (page === undefined) {
    if (!values["dry-run"]) await client.pages.create(input);
    return "created  ";
  }
  const changes = difference(input, page);
  if (Object.keys(changes).length === 0) return "unchanged";
  if (!values["dry-run"]) await client.pages.update(page.id, changes);
  return "updated  ";
}

async function deleteOthers(slugs: ReadonlySet<string>): Promise<void> {
  for (const { id, slug } of existing.values()) {
    if (slugs.has(slug)) continue;
    if (!values["dry-run"]) await client.pages.delete(id);
    console.log(`deleted    ${slug}`);
  }
}

/** Only what differs is sent, so a field that somebody else changed meanwhile stays as they left it. */
function difference(input: CreatePage, page: Page): Partial<CreatePage> {
  const changes: Partial<CreatePage> = {};
  if (input.title !== page.title) changes.title = input.title;
  if (input.content !== page.content) changes.content = input.content;
  const description = input.meta_description ?? "";
  if (description !== (page.meta_description ?? "")) changes.meta_description = description;
  const { type, label, url } = page.cta;
  if (input.cta.type !== type || input.cta.label !== label || input.cta.url !== url) changes.cta = input.cta;
  return changes;
}
