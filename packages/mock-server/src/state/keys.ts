import type { HeaderLookup } from "@landing-page-service/contract";
import * as z from "zod";

/** The key in an `Authorization: Bearer` header. Source: spec, "Authentication". */
export function readBearerKey(headers: HeaderLookup): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.get("Authorization") ?? "")?.[1];
}

/** A key as it may be shown: of those that open a sandbox the kind and the end, of others nothing. */
export function showKey(key: string): string {
  return isSandboxKey(key) ? redactKey(key) : "…";
}

/** What kind of key it is, and no more than its end. */
export function redactKey(key: string): string {
  return `test_…${key.length >= 13 ? key.slice(-4) : ""}`;
}

/** Checks an API key; its message does not quote it. Gap: see docs/spec-gaps.md#key-format */
export const apiKeySchema = z
  .string({ error: "must be an API key, 1 to 512 characters of visible ASCII" })
  .regex(/^[\x21-\x7e]{1,512}$/)
  .meta({ description: "API key of an account." });

/** Whether a key opens an account of its own. */
export function isSandboxKey(key: string): boolean {
  return /^test_[\x21-\x7e]{0,507}$/.test(key);
}
