// A layout says where in a JSON value the facts of a page are. It is found in one element of a list and applied to the others.
import { isObject, type JsonObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import { type DomainSource, listDomainSources, readDomains } from "./domains.ts";
import { type IdSource, readIdAs } from "./identifier.ts";
import { names, type TextField, textFields } from "./names.ts";
import { decode, findField, type JsonNode, type Path, resolve } from "./nodes.ts";
import { readCta, readCtaParts, readText, readTime } from "./values.ts";

const timeFields = ["created_at", "updated_at"] as const;

/** Where the facts of a page are. Each path starts at the top of the JSON value. */
export interface Layout {
  /** The object that shows most of the page; `undefined` where none shows anything. */
  readonly record: Path | undefined;
  /** The object that has the identifier: the record, or one around it. */
  readonly owner: Path | undefined;
  readonly id: Pick<IdSource, "path" | "form"> | undefined;
  readonly fields: { readonly [Field in TextField | (typeof timeFields)[number]]?: Path };
  /** The call to action; the record itself where its parts are fields of the page, such as `cta_label`. */
  readonly cta: { readonly path: Path; readonly isFlat: boolean } | undefined;
  readonly domains: readonly DomainSource[];
}

/** A page as far as a response shows it: documented fields under their names and of their types, all others as they came. */
export interface FoundPage {
  [field: string]: unknown;
  id?: string;
  domains: PageDomain[];
}

/** A page, and where it was found. */
export interface InferredPage {
  readonly page: FoundPage;
  /** The fields of the page as they came. */
  readonly record: JsonObject;
  readonly layout: Layout;
}

/** Notes where the facts of a page are: in its record, and in what is around that up to the object with the identifier. */
export function makeLayout(
  record: JsonNode | undefined,
  owner: (IdSource & { readonly node: JsonNode }) | undefined,
): Layout {
  const nodes: JsonNode[] = [];
  const least = owner?.node.path.length ?? record?.path.length ?? 0;
  for (let node = record; node !== undefined && node.path.length >= least; node = node.parent) nodes.push(node);
  const find = (wanted: readonly string[], read: (value: unknown) => unknown): Path | undefined => {
    for (const node of nodes) {
      const found = findField(node, wanted, read);
      if (found !== undefined) return found.path;
    }
    return undefined;
  };
  const texts = textFields.map((field) => [field, find(names[field], (value) => readText(value))] as const);
  const times = timeFields.map((field) => [field, find(names[field], readTime)] as const);
  const ctaPath = find(names.cta, readCta);
  const flat = ctaPath === undefined ? nodes.find(({ value }) => readCtaParts(value, "cta") !== undefined) : undefined;
  return {
    record: record?.path,
    owner: owner?.node.path,
    id: owner && { path: owner.path, form: owner.form },
    fields: Object.fromEntries([...texts, ...times].filter(([, path]) => path !== undefined)),
    cta: ctaPath === undefined ? flat && { path: flat.path, isFlat: true } : { path: ctaPath, isFlat: false },
    domains: listDomainSources(nodes),
  };
}

/** What is known of the request for a page. */
interface ReadContext {
  readonly apiHost?: string | undefined;
  readonly sent?: JsonObject | undefined;
}

/** Reads a page by a layout. Its `id` is missing where the layout has none, or does not fit. */
export function readByLayout(
  layout: Layout,
  value: unknown,
  { apiHost, sent }: ReadContext,
): Omit<InferredPage, "layout"> {
  const record = layout.record === undefined ? {} : mergeRecord(value, layout.owner ?? layout.record, layout.record);
  const page: FoundPage = { ...record, domains: [] };
  const put = (field: string, found: unknown) => {
    if (found !== undefined) page[field] = found;
    else if (!(field === "meta_description" && page[field] === null)) delete page[field];
  };
  const read = <Value>(path: Path | undefined, as: (value: unknown) => Value): Value | undefined =>
    path && as(resolve(value, path));
  for (const field of textFields)
    put(
      field,
      read(layout.fields[field], (text) => (text === null ? undefined : readText(text, sent?.[field]))),
    );
  for (const field of timeFields) put(field, read(layout.fields[field], readTime));
  const cta = layout.cta?.isFlat === true ? readFlatCta(value, layout.cta.path) : read(layout.cta?.path, readCta);
  put("cta", cta);
  page.domains = readDomains(value, layout.domains, {
    apiHost,
    ctaUrl: cta?.["url"],
    slugs: [page["slug"], sent?.["slug"]],
  });
  put("id", layout.id && readIdAs(layout.id.form, resolve(value, layout.id.path), { apiHost, slug: page["slug"] }));
  return { page, record };
}

function readFlatCta(value: unknown, path: Path): JsonObject | undefined {
  const record = resolveObject(value, path);
  return record && readCtaParts(record, "cta");
}

/** The fields of a record and of what is around it, up to the object that has its identifier. */
function mergeRecord(value: unknown, owner: Path, record: Path): JsonObject {
  const merged: Record<string, unknown> = {};
  for (let length = owner.length; length <= record.length; length += 1) {
    Object.assign(merged, resolveObject(value, record.slice(0, length)));
    const step = record[length];
    if (step !== undefined) delete merged[step];
  }
  return merged;
}

function resolveObject(value: unknown, path: Path): JsonObject | undefined {
  let found = decode(resolve(value, path));
  while (Array.isArray(found) && found.length === 1) found = decode(found[0]);
  return isObject(found) ? found : undefined;
}
