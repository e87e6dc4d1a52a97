// Finds the page that an identifier means, as a dialect writes it.
import type { PageRecord, Reading } from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type Dialect,
  readAnswers,
  renderText,
  type TemplateNode,
} from "@landing-page-service/contract/dialect";
import { readTemplateValue } from "@landing-page-service/contract/internal";
import type { PageStore, StoredPage } from "../state/account-state.ts";

/** Finds a page by its identifier, as the dialect writes it or as it is. */
export type FindPage = (pages: PageStore, written: string) => StoredPage | undefined;

/** Reads from the templates of a dialect how it writes identifiers. Each string with one `{id}` can name a page. */
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

/** Without duplicates, in the order of the templates, those in bodies first. */
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

/** The parts of every string in a template, names of fields included. */
function listTexts(node: TemplateNode): Text[] {
  if (node.kind === "placeholder") return [[node]];
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
  return part.kind === "placeholder" && part.name === "id";
}

/** Under which host a page is named says nothing of which it is. */
function isOrigin(part: TemplateNode): boolean {
  return part.kind === "placeholder" && (part.name === "origin" || part.name === "host");
}

/** Longest text that is looked through: no identifier that a dialect writes is near it. */
const longest = 500;

function readSpelling(text: Text, idType: Reading<"page-id-type">): Spelling | undefined {
  const [first] = text;
  if (first === undefined || text.filter(isId).length !== 1) return undefined;
  const node: TemplateNode = text.length === 1 ? first : { kind: "text", parts: text };
  const isCertain = text.every((part) => isId(part) || part.kind === "constant" || isOrigin(part));
  const write = (record: PageRecord): string => {
    const page = { ...record, id: idType === "integer" ? Number(record.id) : record.id };
    return renderText(node, { status: 200, now: record.updated_at, requestId: null, path: "", origin: "", page });
  };
  return {
    key: JSON.stringify(text),
    find(pages, written) {
      if (written.length > longest) return undefined;
      const { id } = readTemplateValue(node, written).values;
      const page = typeof id === "string" ? pages.get(id) : undefined;
      if (page !== undefined && (isCertain || write(page.record) === written)) return page;
      // Beside other placeholders a text can be cut in several ways, so that every page is tried.
      return isCertain ? undefined : [...pages.values()].find(({ record }) => write(record) === written);
    },
  };
}
