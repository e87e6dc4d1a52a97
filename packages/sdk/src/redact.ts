import { redact } from "@landing-page-service/contract";
import type { Mismatch } from "./report/events.ts";

/** Takes the API key out of a text that the error redacts again once it is finished. */
export function hideKey(text: string, key: string): string {
  return key === "" ? text : text.replaceAll(key, "[API key]");
}

/** Takes the API key out of the places of a mismatch, which are named after fields of a response. */
export function hideInPlaces({ where, expected, found }: Mismatch, key: string): Mismatch {
  return { where, expected: redact(expected, [key]), found: redact(found, [key]) };
}
