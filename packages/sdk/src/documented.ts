// Answers as our reference service writes them, which are given as they are: nothing of them needs to be looked for.
import { isObject, type JsonObject, type Page } from "@landing-page-service/contract";

/** Whether a value is a page as our reference service writes it, so that nothing needs to be looked for. */
export function fits(value: unknown): value is Page {
  if (!isObject(value)) return false;
  const { id, title, content, slug, meta_description, cta, domains, created_at, updated_at } = value;
  return (
    typeof id === "string" &&
    id !== "" &&
    typeof title === "string" &&
    typeof content === "string" &&
    typeof slug === "string" &&
    (meta_description === null || typeof meta_description === "string") &&
    isObject(cta) &&
    typeof cta["type"] === "string" &&
    typeof cta["label"] === "string" &&
    typeof cta["url"] === "string" &&
    Array.isArray(domains) &&
    domains.every(isWholeDomain) &&
    isMomentOrAbsent(created_at) &&
    isMomentOrAbsent(updated_at)
  );
}

function isWholeDomain(domain: unknown): boolean {
  return isObject(domain) && typeof domain["name"] === "string" && typeof domain["url"] === "string";
}

function isMomentOrAbsent(moment: unknown): boolean {
  return moment === undefined || (typeof moment === "string" && isUtc(moment));
}

/** Whether a text is a date, a `T` and what ends in `Z`, letter by letter: a regular expression is most of what a list of pages costs here. */
function isUtc(text: string): boolean {
  for (let at = 0; at < 10; at += 1) {
    const code = text.charCodeAt(at);
    if (at === 4 || at === 7 ? code !== dash : !(code >= zero && code <= nine)) return false;
  }
  return text[10] === "T" && text.endsWith("Z");
}

const [dash, zero, nine] = [45, 48, 57];

/** Reads a list as our reference service writes it; `undefined` for every other. */
export function readEnvelope(body: unknown): { data: Page[]; total: number; told: JsonObject } | undefined {
  if (!isObject(body)) return undefined;
  const { data } = body;
  const total = asCount(body["total"], 0);
  if (total === undefined || !Array.isArray(data) || data.length === 0 || !data.every(fits)) return undefined;
  return { data, total, told: body };
}

/** A whole number, no smaller than the least; `undefined` for everything else. */
export function asCount(value: unknown, least: number): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least ? value : undefined;
}
