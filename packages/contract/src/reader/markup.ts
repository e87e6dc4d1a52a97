// Error bodies that are no JSON: the sentence of an HTML page, and XML as the object that it would be in JSON.
import { decodeEntities, looksOf, readable } from "./looks.ts";
import type { JsonObject } from "../json.ts";

const longest = 20_000;

/** Whether a text is markup of any kind. */
export function isMarkup(text: string): boolean {
  return /^<(?:!--|\?|!|[a-z])/i.test(text);
}

/** Whether markup is a page for a browser. */
export function isPage(markup: string): boolean {
  return (
    /<(?:!doctype html|html|head|body|title|h1|center|div|p|pre)\b/i.test(markup.slice(0, 2000)) &&
    !/^<\?xml[^>]*>\s*<(?!html|!doctype html)/i.test(markup)
  );
}

/** What an HTML page says: its title or first heading, or where those only repeat the status, what is written below. */
export function readPage(markup: string): string {
  const found = [...markup.slice(0, longest).matchAll(/<(title|h1|h2|pre|p)\b[^>]*>([^]{1,2000}?)<\/\1>/gi)].map(
    (match) => readable(match[2] ?? ""),
  );
  const said = found.filter((text) => text !== "");
  return said.find((text) => looksOf(text) === "sentence") ?? said[0] ?? "an HTML page";
}

/** Reads XML as an object: elements of one name are an array, and attributes and namespaces are left out. */
export function parseXml(markup: string): JsonObject {
  const top = new Map<string, unknown>();
  const open: { name: string; members: Map<string, unknown>; text: string }[] = [{ name: "", members: top, text: "" }];
  const close = () => {
    const done = open.length > 1 ? open.pop() : undefined;
    const around = open.at(-1)?.members;
    if (done === undefined || around === undefined) return;
    const value = done.members.size === 0 ? done.text.trim() : Object.fromEntries(done.members);
    const before = around.get(done.name);
    around.set(done.name, before === undefined ? value : [before, value].flat());
  };
  const parts = /<!\[CDATA\[([^]*?)\]\]>|<(\/?)(?:[\w.-]+:)?([\w.-]+)[^<>]*?(\/?)>|([^<]+)/g;
  for (const [, data, end, name, empty, text] of markup.slice(0, longest).matchAll(parts)) {
    const current = open.at(-1);
    if (current !== undefined) current.text += data ?? decodeEntities(text ?? "");
    if (name === undefined) continue;
    if (end !== "/") open.push({ name, members: new Map(), text: "" });
    if (end === "/" || empty === "/") close();
  }
  while (open.length > 1) close();
  return Object.fromEntries(top);
}
