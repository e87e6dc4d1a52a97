import { accessSync, constants, createReadStream, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { dialectPresets, resolveDialect } from "@landing-page-service/contract/dialect";
import type { MockService } from "../service/mock-service.ts";
import { UnusableError } from "./arguments.ts";

/** Reads a JSON file. @throws {UnusableError} that names the file. */
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

/** Writes a value as indented JSON. @throws {Error} that names the file. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await writeWhole(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Loads an export into a service. @throws {UnusableError} that names the file and the line. */
export async function importState(service: MockService, file: string): Promise<void> {
  try {
    await service.importLines(createReadStream(file));
  } catch (error) {
    throw unusable(file, error);
  }
}

/**
 * Writes a temporary file and renames it, so that a failure leaves the old file as it was. A new file is readable only by its owner,
 * because it may contain keys. An existing file keeps its mode, and a link stays a link.
 *
 * @throws {Error} that names the file.
 */
export async function writeWhole(file: string, content: string | Iterable<string>): Promise<void> {
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

/** Checks at the start that a file can be written. @throws {UnusableError} when it cannot. */
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

/** Reads a preset or a dialect file. A value that is neither a file nor like a path is a misspelt preset. @throws {UnusableError} when it is neither. */
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
  const { code, message } = cause as Partial<NodeJS.ErrnoException>; // why: these are strings or missing in any error
  return `${file}: ${reasons[code ?? ""] ?? message ?? String(cause)}`;
}
