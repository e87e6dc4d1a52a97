import { redact } from "@landing-page-service/contract";
import type { Mismatch } from "./report/events.ts";

/** Takes the API key out of a text. */
export function hideKey(text: string, key: string): string {
  return redact(text, [key]);
}

/** Takes the API key out of the places of a mismatch, which are named after fields of a response. */
export function hideInPlaces({ where, expected, found }: Mismatch, key: string): Mismatch {
  return { where, expected: hideKey(expected, key), found: hideKey(found, key) };
}
