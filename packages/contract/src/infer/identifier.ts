// The identifier of a record: its own, else that of a link to it.
import { isObject } from "../json.ts";
import { names, readName } from "./names.ts";
import { findField, type JsonNode, nameOf, type Path } from "./nodes.ts";
import { readId, readText } from "./values.ts";

/** How a value holds an identifier: as it is, as a link to the documented path of the page, or as the end of another link. */
export type IdForm = "plain" | "documented" | "link";

/** Where the identifier of a record is. */
export interface IdSource {
  readonly path: Path;
  readonly form: IdForm;
  readonly id: string;
}

/** What tells a link to the API from one to the public page. */
export interface LinkContext {
  /** Host of the API, with its port. */
  readonly apiHost?: string | undefined;
  readonly slug?: unknown;
}

/** Reads an identifier in one form. */
export function readIdAs(form: IdForm, value: unknown, context: LinkContext): string | undefined {
  if (form === "plain") return readId(value);
  return form === "documented" ? readDocumentedLink(value) : readLink(value, context);
}

/** The identifier that a record has itself. A link to the documented path outranks a name, and the `id` of JSON-RPC is that of the request. */
export function findOwnId(node: JsonNode, apiHost: string | undefined): IdSource | undefined {
  if ("jsonrpc" in node.value) return undefined;
  const slug = findField(node, names.slug, (value) => readText(value))?.value;
  const find = (wanted: readonly string[], form: IdForm): IdSource | undefined => {
    const found = findField(node, wanted, (value) => readIdAs(form, value, { apiHost, slug }));
    return found && { path: found.path, form, id: found.value };
  };
  const links = selfIn(node);
  const inLinks = (form: IdForm): IdSource | undefined => {
    const id = links && readIdAs(form, links.value, { apiHost, slug });
    return links && id !== undefined ? { path: links.path, form, id } : undefined;
  };
  return (
    find(["self", "selflink", "id"], "documented") ??
    inLinks("documented") ??
    findKey(node) ??
    find([...names.id, ...namesAfterHolder(node)], "plain") ??
    // A `name` that is a path is the name of the resource (AIP-122).
    find(["name"], "link") ??
    find(names.uid, "plain") ??
    find(names.self, "documented") ??
    find(names.self, "link") ??
    inLinks("link")
  );
}

/** Beside an `_id` such as `pages/7`, the `_key` 7 is the identifier within the collection. */
function findKey(node: JsonNode): IdSource | undefined {
  const found = findField(node, ["key"], readId);
  const isEnd = (value: unknown) => (typeof value === "string" && value.endsWith(`/${found?.value}`)) || undefined;
  return found && findField(node, ["id"], isEnd) && { path: found.path, form: "plain", id: found.value };
}

/** `campaignId` is the identifier of what stands under `campaign` or `campaigns`. */
function namesAfterHolder(node: JsonNode): string[] {
  const { key, isForeign } = node.listName === undefined ? nameOf(node) : readName(node.listName);
  const single = key.replace(/ies$/, "y").replace(/s$/, "");
  return isForeign || single.length < 3 ? [] : [`${single}id`, `${single}uuid`, `${single}key`];
}

function selfIn({ fields }: JsonNode): { path: Path; value: unknown } | undefined {
  const links = fields.find(({ key, value }) => key === "links" && isObject(value) && "self" in value);
  return links && isObject(links.value) ? { path: [...links.path, "self"], value: links.value["self"] } : undefined;
}

const hrefOf = (link: unknown): unknown => (isObject(link) ? link["href"] : link);

/** The identifier in a link to the documented path of a page, on any host. */
export function readDocumentedLink(link: unknown): string | undefined {
  const text = hrefOf(link);
  const [, step] = typeof text === "string" ? (/\/api\/content\/([^/?#]+)\/?(?:[?#].*)?$/.exec(text) ?? []) : [];
  return step === undefined ? undefined : decodeStep(step);
}

/** The identifier in a link to the API, behind the name of a collection of pages. What ends with the slug may be the public path. */
function readLink(link: unknown, { apiHost, slug }: LinkContext): string | undefined {
  const url = parseLink(hrefOf(link), apiHost);
  const [collection = "", last = ""] = lastSteps(url);
  const { isNeutral, isForeign } = readName(collection);
  return url?.host === apiHost && isNeutral && !isForeign && last !== slug ? decodeStep(last) : undefined;
}

/**
 * The identifier in the `Location` of a 201, which names the resource that was created wherever it is (RFC 9110, 15.3.2). The address of
 * work in progress is none, and neither is the public address of the page: another host, and a path that ends with the slug.
 */
export function readLocation(location: string | null, { apiHost, slug }: LinkContext): string | undefined {
  const url = parseLink(location, apiHost);
  const [collection = "", last = ""] = lastSteps(url);
  const isPublic = url?.host !== apiHost && last.replace(/\.html?$/, "") === slug;
  return url === null || isPublic || readName(collection).isForeign ? undefined : decodeStep(last);
}

function parseLink(link: unknown, apiHost: string | undefined): URL | null {
  return typeof link === "string" ? URL.parse(link, `http://${apiHost ?? "unknown.invalid"}`) : null;
}

function lastSteps(url: URL | null): string[] {
  return (url?.pathname ?? "").split("/").filter(Boolean).slice(-2);
}

/** A step of a path as an identifier: `12.json` is 12, and so is OData's `Pages(12)`. */
function decodeStep(step: string): string | undefined {
  try {
    const text = decodeURIComponent(step).replace(/\.json$/, "");
    return readId(/^\w+\((?:guid)?'?([^'()]+)'?\)$/.exec(text)?.[1] ?? text);
  } catch {
    return undefined;
  }
}
