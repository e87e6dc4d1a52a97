import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { MockService } from "../service/service.ts";

/** Reads a JSON file. @throws {Error} that names the file, whatever is wrong with it. */
export function readJsonFile<Value>(file: string, read: (value: unknown) => Value): Value {
  try {
    return read(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw fileError(file, error);
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

/** Puts back what an export holds. @throws {Error} that names the file and the line. */
export async function importState(service: MockService, file: string): Promise<void> {
  try {
    await service.importLines(createReadStream(file));
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Writes what the service holds beside the file and then puts it in its place: a file that was there is never half written. */
export async function exportState(service: MockService, file: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    await pipeline(service.exportLines(), createWriteStream(unfinished, { flush: true }));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw fileError(file, error);
  }
}

/** Makes sure that a file can be put in place, before there is anything to lose. @throws {Error} when it cannot. */
export function checkPlace(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new Error(`${file}: ${reasons["EISDIR"]}`);
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    throw fileError(dirname(file), error);
  }
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EISDIR: "this is a folder",
  ENOSPC: "the disk is full",
};

function fileError(file: string, cause: unknown): Error {
  const { code, message } = cause as Partial<NodeJS.ErrnoException>; // whatever was thrown, these are strings or missing
  return new Error(`${file}: ${reasons[code ?? ""] ?? message ?? String(cause)}`, { cause });
}
