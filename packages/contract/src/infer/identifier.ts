// The identifier of a record: its own, else that of a link to it.
import { isObject } from "../json.ts";
import { names, readName } from "./names.ts";
import { findField, type JsonNode, type Path } from "./nodes.ts";
import { readId, readText } from "./values.ts";

/** The identifier of a record, and where it is. */
export interface FoundId {
  readonly path: Path;
  readonly id: string;
}

/** Distinguishes a link to the API from one to the public page. */
interface LinkContext {
  /** Host of the API, with its port. */
  readonly apiHost?: string | undefined;
  readonly slug?: unknown;
}

/** The identifier that a record has itself. A link to the documented path outranks a name, and the `id` of JSON-RPC is that of the request. */
export function findOwnId(node: JsonNode, apiHost: string | undefined): FoundId | undefined {
  const { value, holder } = node;
  const fields = node.fields.filter(({ name }) => name.mayIdentify);
  if (fields.length === 0 || "jsonrpc" in value) return undefined;
  const slug = findField(node.fields, names.slug, (text) => readText(text))?.value;
  const follow = (link: unknown) => readLink(link, { apiHost, slug });
  const links = fields.filter(
    ({ name: { key }, value: inner }) => key === "links" && isObject(inner) && "self" in inner,
  );
  const find = (wanted: readonly string[], read: typeof readId, among = fields): FoundId | undefined => {
    const found = findField(among, wanted, read);
    return found && { path: found.path, id: found.value };
  };
  const inLinks = (read: typeof readId): FoundId | undefined => {
    const found = find(["links"], (inner) => read(isObject(inner) ? inner["self"] : undefined), links);
    return found && { path: [...found.path, "self"], id: found.id };
  };
  // `campaignId` is the identifier of what stands under `campaign` or `campaigns`.
  const single = holder.key.replace(/ies$/, "y").replace(/s$/, "");
  const afterHolder = holder.isForeign || single.length < 3 ? [] : [`${single}id`, `${single}uuid`, `${single}key`];
  const inKey = find(["key"], readId);
  // Beside an `_id` such as `pages/7`, the `_key` 7 is the identifier within the collection.
  const isOfId = (id: unknown) => (typeof id === "string" && id.endsWith(`/${inKey?.id}`) ? id : undefined);
  return (
    find(["self", "selflink", "id"], readDocumentedLink) ??
    inLinks(readDocumentedLink) ??
    (inKey && find(["id"], isOfId) ? inKey : undefined) ??
    find([...names.id, ...afterHolder], readId) ??
    // A `name` that is a path is the name of the resource (AIP-122).
    find(["name"], follow) ??
    find(names.uid, readId) ??
    find(names.self, readDocumentedLink) ??
    find(names.self, follow) ??
    inLinks(follow)
  );
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
  const { url, collection, last } = parseLink(hrefOf(link), apiHost);
  const { isNeutral, isForeign } = readName(collection);
  return url?.host === apiHost && isNeutral && !isForeign && last !== slug ? decodeStep(last) : undefined;
}

/**
 * The identifier in the `Location` of a 201, which names the resource that was created wherever it is (RFC 9110, 15.3.2). The address of
 * work in progress is none, and neither is the public address of the page: another host, and a path that ends with the slug.
 */
export function readLocation(location: string | null, { apiHost, slug }: LinkContext): string | undefined {
  const { url, collection, last } = parseLink(location, apiHost);
  const isPublic = url?.host !== apiHost && last.replace(/\.html?$/, "") === slug;
  return url === null || isPublic || readName(collection).isForeign ? undefined : decodeStep(last);
}

function parseLink(link: unknown, apiHost: string | undefined) {
  const url = typeof link === "string" ? URL.parse(link, `http://${apiHost ?? "unknown.invalid"}`) : null;
  const [collection = "", last = ""] = (url?.pathname ?? "").split("/").filter(Boolean).slice(-2);
  return { url, collection, last };
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
