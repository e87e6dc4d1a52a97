// Finds a page by its identifier as a dialect writes it.
import { type Dialect, readAnswers, readPageId, type TemplateNode } from "@landing-page-service/contract/dialect";
import { readTemplateValue } from "@landing-page-service/contract/internal";
import type { PageStore, StoredPage } from "../state/account-state.ts";

/**
 * Finds a page by its identifier. The `pageId` of the dialect says how paths write it. Without `pageId`, a path may write the stored
 * identifier or any form of it in responses.
 */
export type FindPage = (pages: PageStore, written: string) => StoredPage | undefined;

/** Longest string that may be an identifier, in characters. */
const longest = 500;

/**
 * Reads from a dialect how it writes identifiers: as its `pageId` says, or else as each string, or segment of a link, that has one `{id}`
 * and is otherwise the same for all pages.
 */
export function createFindPage(dialect: Dialect): FindPage {
  if (dialect.pageId !== undefined) {
    const spelling = readPageId(dialect.pageId);
    return (pages, written) => (written.length > longest ? undefined : findAs(spelling, pages, written));
  }
  const { createPage, listPages, updatePage, deletePage } = readAnswers(dialect.answers).endpoints;
  const shapes = [createPage, listPages, updatePage, deletePage];
  const bodies = shapes.flatMap(({ body }) => (body === undefined ? [] : [body.node]));
  const headers = shapes.flatMap((shape) => shape.headers.map(([, node]) => node));
  const spellings = new Map<string, TemplateNode>();
  for (const parts of [...bodies, ...headers].flatMap(listStrings))
    for (const some of [parts, lastSegment(parts)])
      if (isSpelling(some)) spellings.set(JSON.stringify(some), { kind: "text", parts: some });
  return (pages, written) => {
    if (written.length > longest) return undefined;
    for (const node of spellings.values()) {
      const page = findAs(node, pages, written);
      if (page !== undefined) return page;
    }
    return pages.get(written);
  };
}

function findAs(spelling: TemplateNode, pages: PageStore, written: string): StoredPage | undefined {
  const { id } = readTemplateValue(spelling, written).values;
  return typeof id === "string" ? pages.get(id) : undefined;
}

/** The parts of a string in a template. */
type Parts = readonly TemplateNode[];

/** Every string of a template, names of fields included. */
function listStrings(node: TemplateNode): Parts[] {
  if (node.kind === "placeholder") return [[node]];
  if (node.kind === "text") return [node.parts];
  if (node.kind === "array") return node.items.flatMap(listStrings);
  if (node.kind === "optional") return listStrings(node.item);
  if (node.kind === "each")
    return [node.key, node.item].flatMap((part) => (part === undefined ? [] : listStrings(part)));
  if (node.kind === "constant") return [];
  return node.members.flatMap(({ name, value }) => [
    ...(name === undefined ? [] : listStrings(name)),
    ...listStrings(value),
  ]);
}

/** Whether a string has one `{id}`, and otherwise only parts that are the same for all pages. */
function isSpelling(parts: Parts): boolean {
  const others = parts.filter((part) => !isId(part));
  return others.length === parts.length - 1 && others.every(isSameForAll);
}

function isSameForAll(part: TemplateNode): boolean {
  return part.kind === "constant" || (part.kind === "placeholder" && (part.name === "origin" || part.name === "host"));
}

function isId(part: TemplateNode): boolean {
  return part.kind === "placeholder" && part.name === "id";
}

/** The segment of a path or a URL that has the id. A client that follows a link sends only this segment as the id. */
function lastSegment(parts: Parts): Parts {
  const at = parts.findIndex(isId);
  const before = parts.slice(0, at).findLastIndex((part) => textOf(part).includes("/"));
  const after = parts.findIndex((part, index) => index > at && /[/?#]/.test(textOf(part)));
  const start = textOf(parts[before]).split("/").at(-1) ?? "";
  const [end = ""] = textOf(parts[after]).split(/[/?#]/);
  return [
    ...(start === "" ? [] : [{ kind: "constant" as const, value: start }]),
    ...parts.slice(before + 1, after < 0 ? undefined : after),
    ...(end === "" ? [] : [{ kind: "constant" as const, value: end }]),
  ];
}

function textOf(part: TemplateNode | undefined): string {
  return part?.kind === "constant" ? String(part.value) : "";
}
