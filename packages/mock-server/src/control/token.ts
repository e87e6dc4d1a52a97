import type { HeaderLookup } from "@landing-page-service/contract";
import { nodeCrypto } from "../exchange/node-crypto.ts";
import { readBearerKey } from "../state/keys.ts";

/** Whether headers carry the token of the control API. Digests are compared, so that how long it takes says nothing of the token. */
export function hasToken(headers: HeaderLookup, token: string): boolean {
  const given = readBearerKey(headers) ?? "";
  const { hash, timingSafeEqual } = nodeCrypto();
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}
