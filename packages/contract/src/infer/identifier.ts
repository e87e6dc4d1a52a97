// Finds the identifier of a record in its fields, else in a link to it.
import { isObject } from "../json.ts";
import { findField, type Found, type NamedField } from "./fields.ts";
import { isNamed, names, readName } from "./names.ts";
import { readId, readText } from "./values.ts";

/** Distinguishes a link to the API from one to the public page. */
interface LinkContext {
  /** Host of the API, with its port. */
  readonly apiHost?: string | undefined;
  readonly slug?: unknown;
}

/**
 * Finds the identifier in the fields of a record. `recordName` is the name of the record, or of the list that it is an element of. A link to
 * the documented path outranks a name, and the `id` of JSON-RPC is that of the request.
 */
export function findOwnId(
  fields: readonly NamedField[],
  recordName: string,
  apiHost: string | undefined,
): Found<string> | undefined {
  if (fields.some(({ key }) => key === "jsonrpc")) return undefined;
  const slug = findField(fields, names.slug, readText)?.value;
  const follow = (link: unknown) => readLink(link, { apiHost, slug });
  // `campaignId` is the identifier of an object under `campaign` or `campaigns`.
  const single = readName(recordName).key.replace(/ies$/, "y").replace(/s$/, "");
  const suffixes = isNamed(recordName, "foreign") || single.length < 3 ? [] : ["id", "uuid", "key"];
  // Beside an `_id` such as `pages/7`, the `_key` 7 is the identifier within the collection.
  const whole = findField(fields, ["id"], readText)?.value;
  const readKey = (key: unknown) => (whole?.endsWith(`/${readId(key)}`) === true ? readId(key) : undefined);
  return (
    findField(fields, ["self", "selflink", "id", "linksself"], readDocumentedLink) ??
    findField(fields, ["key"], readKey) ??
    findField(fields, [...names.id, ...suffixes.map((end) => single + end)], readId) ??
    // A `name` that is a path is the name of the resource (AIP-122).
    findField(fields, ["name"], follow) ??
    findField(fields, names.uid, readId) ??
    findField(fields, names.self, readDocumentedLink) ??
    findField(fields, names.self, follow)
  );
}

const hrefOf = (link: unknown): unknown => (isObject(link) ? link["href"] : link);

/** Reads the identifier in a link to the documented path of a page, on any host. */
export function readDocumentedLink(link: unknown): string | undefined {
  const text = hrefOf(link);
  const [, step] = typeof text === "string" ? (/\/api\/content\/([^/?#]+)\/?(?:[?#].*)?$/.exec(text) ?? []) : [];
  return step === undefined ? undefined : decodeStep(step);
}

/** Reads the identifier in a link to the API, behind the name of a collection of pages. A path that ends with the slug may be the public one. */
function readLink(link: unknown, { apiHost, slug }: LinkContext): string | undefined {
  const { url, collection, last } = parseLink(hrefOf(link), apiHost);
  const isOfPages = isNamed(collection, "neutral") && !isNamed(collection, "foreign");
  return url?.host === apiHost && isOfPages && last !== slug ? decodeStep(last) : undefined;
}

/**
 * Reads the identifier in the `Location` of a 201, which names the created resource on any host (RFC 9110, 15.3.2). The URL of a job
 * does not count. The public URL of the page does not count either: it has another host, and a path that ends with the slug.
 */
export function readLocation(location: string | null, { apiHost, slug }: LinkContext): string | undefined {
  const { url, collection, last } = parseLink(location, apiHost);
  const isPublic = url?.host !== apiHost && last.replace(/\.html?$/, "") === slug;
  return url === null || isPublic || isNamed(collection, "foreign") ? undefined : decodeStep(last);
}

function parseLink(link: unknown, apiHost: string | undefined) {
  const url = typeof link === "string" ? URL.parse(link, `http://${apiHost ?? "unknown.invalid"}`) : null;
  const [collection = "", last = ""] = (url?.pathname ?? "").split("/").filter(Boolean).slice(-2);
  return { url, collection, last };
}

/** Reads a path segment as an identifier: `12.json` is 12, and so is OData's `Pages(12)`. */
function decodeStep(step: string): string | undefined {
  try {
    const text = decodeURIComponent(step).replace(/\.json$/, "");
    return readId(/^\w+\((?:guid)?'?([^'()]+)'?\)$/.exec(text)?.[1] ?? text);
  } catch {
    return undefined;
  }
}
