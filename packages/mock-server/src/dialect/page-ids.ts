// What a dialect makes of the identifier of a page, taken back.
import type { PageRecord, Reading } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type Dialect,
  type FormatName,
  readAnswers,
  renderText,
  type TemplateNode,
} from "@landing-page-service/contract/dialect";
import type { PageStore, StoredPage } from "../state/pages.ts";

/** Finds the page that is meant by what a dialect made of its identifier, or by the identifier itself. */
export type FindPage = (pages: PageStore, written: string) => StoredPage | undefined;

/** Reads from the templates of a dialect how it writes identifiers: each text with one `{id}` can stand for a page. */
export function createFindPage(dialect: Dialect): FindPage {
  const spellings = listSpellings(readAnswers(dialect.answers), dialect.switches["page-id-type"]);
  return (pages, written) => {
    for (const { find } of spellings) {
      const page = find(pages, written);
      if (page !== undefined) return page;
    }
    return pages.get(written);
  };
}

/** One way in which a dialect writes identifiers. */
interface Spelling {
  readonly key: string;
  readonly find: FindPage;
}

/** Every one once, in the order of the answers, those in bodies first. */
function listSpellings({ endpoints }: AnswerShapes, idType: Reading<"page-id-type">): Spelling[] {
  const shapes: AnswerShape[] = [endpoints.createPage, endpoints.listPages, endpoints.updatePage, endpoints.deletePage];
  const nodes = [
    ...shapes.flatMap(({ body }) => (body === undefined ? [] : [body.node])),
    ...shapes.flatMap(({ headers }) => headers.map(([, node]) => node)),
  ];
  const texts = nodes.flatMap(listTexts).flatMap((text) => [text, lastSegment(text)]);
  const spellings = texts.flatMap((text) => readSpelling(text, idType) ?? []);
  return Array.from(new Map(spellings.toReversed().map((one) => [one.key, one])).values()).toReversed();
}

type Text = readonly TemplateNode[];

/** Every text of a template as its parts, names of members included. */
function listTexts(node: TemplateNode): Text[] {
  if (node.kind === "hole") return [[node]];
  if (node.kind === "text") return [node.parts];
  if (node.kind === "array") return node.items.flatMap(listTexts);
  if (node.kind === "optional") return listTexts(node.item);
  if (node.kind === "each") return [node.key, node.item].flatMap((part) => (part === undefined ? [] : listTexts(part)));
  if (node.kind === "constant") return [];
  return node.members.flatMap(({ name, value }) => [
    ...(name === undefined ? [] : listTexts(name)),
    ...listTexts(value),
  ]);
}

/** Of a path or a URL what names the page in it: a client that follows a link sends no more. */
function lastSegment(text: Text): Text {
  const at = text.findIndex(isId);
  const before = text.slice(0, at).findLastIndex((part) => constantOf(part)?.includes("/") === true);
  const after = text.findIndex((part, index) => index > at && /[/?#]/.test(constantOf(part) ?? ""));
  return text.slice(Math.max(before, 0), after < 0 ? text.length : after + 1).map((part) => {
    const constant = constantOf(part);
    if (constant === undefined) return part;
    const start = part === text[before] ? constant.lastIndexOf("/") + 1 : 0;
    const end = part === text[after] ? constant.search(/[/?#]/) : constant.length;
    return { kind: "constant", value: constant.slice(start, end) };
  });
}

function constantOf(part: TemplateNode): string | undefined {
  return part.kind === "constant" ? String(part.value) : undefined;
}

function isId(part: TemplateNode): boolean {
  return part.kind === "hole" && part.hole === "id";
}

/** Under which host a page is named says nothing of which it is. */
function isOrigin(part: TemplateNode): boolean {
  return part.kind === "hole" && (part.hole === "origin" || part.hole === "host");
}

function readSpelling(text: Text, idType: Reading<"page-id-type">): Spelling | undefined {
  const at = text.findIndex(isId);
  const hole = text[at];
  if (hole?.kind !== "hole" || text.filter(isId).length > 1) return undefined;
  const node: TemplateNode = { kind: "text", parts: text };
  const isCertain = text.every((part) => part === hole || part.kind === "constant" || isOrigin(part));
  const write = (record: Readonly<PageRecord>): string => {
    const page = { ...record, id: idType === "integer" ? Number(record.id) : record.id };
    return renderText(node, { status: 200, now: record.updated_at, requestId: null, path: "", origin: "", page });
  };
  const [before, after] = [text.slice(0, at), text.slice(at + 1)];
  return {
    key: JSON.stringify(text),
    find(pages, written) {
      for (const part of listParts(written, before, after)) {
        const id = readId(part, hole.formats);
        const page = id === undefined ? undefined : pages.get(id);
        if (page !== undefined && (isCertain || write(page.record) === written)) return page;
      }
      return undefined;
    },
  };
}

/** Longest text that is looked through: no identifier that a dialect writes is near it. */
const longest = 500;

/** What may stand in place of the identifier: one part where only constants are around it, more where other holes are. */
function listParts(written: string, before: Text, after: Text): string[] {
  if (written.length > longest) return [];
  const starts = listEnds(written, before);
  const ends = listEnds(reverse(written), after.toReversed().map(reversePart)).map((length) => written.length - length);
  return starts.flatMap((start) => ends.filter((end) => end > start).map((end) => written.slice(start, end)));
}

/** Where the parts before an identifier may end. */
function listEnds(written: string, parts: Text): number[] {
  const constants = parts.map(constantOf);
  if (!constants.includes(undefined)) {
    const whole = constants.join("");
    return written.startsWith(whole) ? [whole.length] : [];
  }
  const last = constants.at(-1) ?? "";
  const places = Array.from({ length: written.length + 1 }, (_, index) => index);
  return places.filter((index) => written.endsWith(last, index));
}

function reversePart(part: TemplateNode): TemplateNode {
  const constant = constantOf(part);
  return constant === undefined ? part : { kind: "constant", value: reverse(constant) };
}

function reverse(text: string): string {
  return text.split("").toReversed().join("");
}

/** Takes back what the formats of a hole made of an identifier; `undefined` when it cannot be. */
function readId(written: string, formatNames: readonly FormatName[]): string | undefined {
  try {
    return formatNames.reduceRight<string>((text, name) => (readers[name] ?? same)(text), written);
  } catch {
    return undefined;
  }
}

const same = (text: string): string => text;
const readers: { readonly [Name in FormatName]?: (written: string) => string } = {
  url: decodeURIComponent,
  json: (written) => String(JSON.parse(written)),
  html: (written) => written.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
};
