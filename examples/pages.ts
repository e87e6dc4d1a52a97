// Reads landing pages from Markdown files, with the fields in the front matter and the content below it.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CreatePage } from "@landing-page-service/sdk";
import { parse } from "yaml";

/** Reads every `.md` file of a folder, in the order of the file names. */
export async function readPages(folder: string): Promise<CreatePage[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".md")).toSorted();
  return Promise.all(files.map((file) => readPage(join(folder, file))));
}

/** Reads one page. The SDK checks the fields, so a missing title is reported by its name when the page is created. */
export async function readPage(file: string): Promise<CreatePage> {
  const text = await readFile(file, "utf8");
  const [, frontMatter, content] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? [];
  if (frontMatter === undefined || content === undefined)
    throw new Error(`${file}: expected front matter between two lines of ---`);
  return { ...(parse(frontMatter) as Omit<CreatePage, "content">), content: content.trim() }; // why: the SDK checks it before it sends anything
}
