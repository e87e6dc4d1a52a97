import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { dialectPresets, resolveDialect } from "@landing-page-service/contract/dialect";
import type { MockService } from "../service/mock-service.ts";
import { UnusableError } from "./arguments.ts";

/** Reads a JSON file. @throws {UnusableError} that names the file, whatever is wrong with it. */
export function readJsonFile<Value>(file: string, read: (value: unknown) => Value): Value {
  try {
    return read(parseText(decodeText(readFileSync(file))));
  } catch (error) {
    throw unusable(file, error);
  }
}

/** A text as editors and shells leave it: perhaps with a mark at its beginning, or in UTF-16, as on Windows. */
function decodeText(bytes: Buffer): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(bytes);
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
export function writeJsonFile(file: string, value: unknown): void {
  try {
    writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Puts back what an export holds. @throws {UnusableError} that names the file and the line. */
export async function importState(service: MockService, file: string): Promise<void> {
  try {
    await service.importLines(createReadStream(file));
  } catch (error) {
    throw unusable(file, error);
  }
}

/**
 * Writes what the service holds beside the file and then puts it in its place: a file that was there is never half written.
 * A link stays a link, and a file keeps its mode.
 */
export async function exportState(service: MockService, file: string): Promise<void> {
  let unfinished: string | undefined;
  try {
    const place = followLinks(file);
    unfinished = `${place}.${process.pid}.tmp`;
    const mode = statSync(place, { throwIfNoEntry: false })?.mode;
    await rm(unfinished, { force: true });
    await pipeline(service.exportLines(), createWriteStream(unfinished, { flush: true, ...(mode && { mode }) }));
    await rename(unfinished, place);
  } catch (error) {
    if (unfinished !== undefined) await rm(unfinished, { force: true });
    throw fileError(file, error);
  }
}

/** Whether two paths, however spelt, lead to one place. */
export function isSamePlace(file: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  try {
    return followLinks(file) === followLinks(other);
  } catch {
    return false; // One of them leads nowhere, which whoever opens it gets told.
  }
}

/** Where a path leads, whether or not a file is there yet. */
function followLinks(file: string): string {
  const place = join(realpathSync(dirname(file)), basename(file));
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place;
  try {
    return realpathSync(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // why: what node:fs throws
    return followLinks(resolve(dirname(place), readlinkSync(place)));
  }
}

/** Makes sure that a file can be put in place, before there is anything to lose. @throws {UnusableError} when it cannot. */
export function checkPlace(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw new UnusableError(`${file}: ${reasons["EISDIR"]}`);
  if (found?.isFile() === false) throw new UnusableError(`${file}: this is not a plain file`);
  try {
    accessSync(dirname(followLinks(file)), constants.W_OK);
  } catch (error) {
    throw unusable(dirname(file), error);
  }
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EISDIR: "this is a folder",
  ENOSPC: "the disk is full",
  ELOOP: "its links lead in a circle",
};

function fileError(file: string, cause: unknown): Error {
  return new Error(tell(file, cause), { cause });
}

/** The same of a file that an option names, before anything was begun. */
function unusable(file: string, cause: unknown): UnusableError {
  return new UnusableError(tell(file, cause), { cause });
}

function tell(file: string, cause: unknown): string {
  const { code, message } = cause as Partial<NodeJS.ErrnoException>; // whatever was thrown, these are strings or missing
  return `${file}: ${reasons[code ?? ""] ?? message ?? String(cause)}`;
}

/** A preset by its name, or else a file. What neither exists nor is spelt as a file is told as a misspelt preset. @throws {UnusableError} when it is neither. */
export function readDialect(text: string): ReturnType<typeof resolveDialect> {
  const isFile = !Object.hasOwn(dialectPresets, text) && (existsSync(text) || /[./\\]/.test(text));
  if (isFile) return readJsonFile(text, resolveDialect);
  try {
    return resolveDialect(text);
  } catch (error) {
    throw unusable("--dialect", error);
  }
}
