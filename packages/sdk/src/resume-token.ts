import { endpoints, parseJson } from "@landing-page-service/contract";
import { InvalidInputError } from "./errors.ts";

/** What a walk needs to know to continue another. */
export interface Place {
  /** Index at which the last page given was seen. */
  readonly offset: number;
  /** Ids of the last pages given, in order, one to sixteen: the place is found again while one of them is listed. */
  readonly ids: readonly string[];
  /** What the list was filtered by. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** How many pages a token remembers. */
export const rememberedIds = 16;

const version = "1.";

/** Writes a place as one line of URL-safe text. */
export function writeResumeToken({ offset, ids, filters }: Place): string {
  return version + Buffer.from(JSON.stringify({ offset, ids, filters })).toString("base64url");
}

/**
 * Reads a token back.
 *
 * @throws {InvalidInputError} when it is no token of ours, or belongs to a list with other filters.
 */
export function readResumeToken(token: string, filters: Place["filters"]): Place {
  const isOurs = typeof token === "string" && token.startsWith(version);
  const read = isOurs ? parseJson(Buffer.from(token.slice(version.length), "base64url").toString()) : undefined;
  if (!isPlace(read)) throw refusal("expected a resumeToken of an earlier walk, whole and unchanged");
  if (canonical(read.filters) !== canonical(filters)) {
    throw refusal(`expected the filters of the earlier walk, ${JSON.stringify(read.filters)}`);
  }
  return read;
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== "object" || value === null) return false;
  const { offset, ids, filters }: Partial<Record<keyof Place, unknown>> = value;
  return (
    Number.isSafeInteger(offset) &&
    Number(offset) >= 0 &&
    Array.isArray(ids) &&
    ids.length >= 1 &&
    ids.length <= rememberedIds &&
    ids.every((id) => typeof id === "string") &&
    typeof filters === "object" &&
    filters !== null
  );
}

function canonical(filters: Place["filters"]): string {
  return JSON.stringify(Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function refusal(detail: string): InvalidInputError {
  return new InvalidInputError(endpoints.listPages.summary, [{ pointer: "resumeFrom", detail }]);
}
