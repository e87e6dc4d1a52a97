import { accessSync, constants, createReadStream, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { dialectPresets, resolveDialect } from "@landing-page-service/contract/dialect";
import type { MockService } from "../service/mock-service.ts";
import { UnusableError } from "./arguments.ts";

/** Reads a JSON file. @throws {UnusableError} that names the file, whatever is wrong with it. */
export function readJsonFile<Value>(file: string, read: (value: unknown) => Value): Value {
  try {
    return read(parseText(readFileSync(file, "utf8").replace(/^\uFEFF/, "")));
  } catch (error) {
    throw unusable(file, error);
  }
}

function parseText(text: string): unknown {
  if (text.trim() === "") throw new Error("the file is empty");
  try {
    return JSON.parse(text);
  } catch (cause) {
    const hint = /\/[/*]|,\s*[}\]]/.test(text) ? "; JSON has no comments, and no comma before a closing bracket" : "";
    throw new Error(`this is not JSON: ${cause instanceof Error ? cause.message : String(cause)}${hint}`, { cause });
  }
}

/** Writes a value as JSON that people can read. @throws {Error} that names the file. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await writeWhole(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Restores what an export holds. @throws {UnusableError} that names the file and the line. */
export async function importState(service: MockService, file: string): Promise<void> {
  try {
    await service.importLines(createReadStream(file));
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Writes what the service holds. @throws {Error} that names the file. */
export async function exportState(service: MockService, file: string): Promise<void> {
  await writeWhole(file, service.exportLines());
}

/**
 * Writes another file and then renames it, so that a file is never half written, and a failure leaves it as it was. A new file is
 * for its owner only, because it may hold keys; a file that was there keeps its mode, and a link to it stays a link.
 */
async function writeWhole(file: string, content: string | Iterable<string>): Promise<void> {
  const place = existsSync(file) ? realpathSync(file) : file;
  const unfinished = `${place}.${process.pid}.tmp`;
  try {
    const mode = statSync(place, { throwIfNoEntry: false })?.mode ?? 0o600;
    await writeFile(unfinished, content, { mode, flush: true });
    await rename(unfinished, place);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new Error(describe(file, error), { cause: error });
  }
}

/** Makes sure that a file can be written, before there is anything to lose. @throws {UnusableError} when it cannot. */
export function checkPlace(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw unusable(file, { code: "EISDIR" });
  if (found?.isFile() === false) throw new UnusableError(`${file}: this is not a plain file`);
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    throw unusable(dirname(file), error);
  }
}

/** A preset by its name, or else a file. A text that is neither an existing file nor looks like one is a misspelt preset. @throws {UnusableError} when it is neither. */
export function readDialect(text: string): ReturnType<typeof resolveDialect> {
  const isFile = !Object.hasOwn(dialectPresets, text) && (existsSync(text) || /[./\\]/.test(text));
  if (isFile) return readJsonFile(text, resolveDialect);
  try {
    return resolveDialect(text);
  } catch (error) {
    throw unusable("--dialect", error);
  }
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EISDIR: "this is a folder",
  ENOSPC: "the disk is full",
};

function unusable(file: string, cause: unknown): UnusableError {
  return new UnusableError(describe(file, cause), { cause });
}

function describe(file: string, cause: unknown): string {
  const { code, message } = cause as Partial<NodeJS.ErrnoException>; // why: whatever was thrown, these are strings or missing
  return `${file}: ${reasons[code ?? ""] ?? message ?? String(cause)}`;
}
