import { hash, timingSafeEqual } from "node:crypto";
import type { HeaderLookup } from "@landing-page-service/contract";
import { readBearerKey } from "../state/accounts.ts";

/** Whether headers carry the token of the control API. Digests are compared, so that how long it takes says nothing of the token. */
export function hasToken(headers: HeaderLookup, token: string): boolean {
  const given = readBearerKey(headers) ?? "";
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}
