// Finds the page in a response whose shape is not documented. Structure decides, and names break ties. An uncertain
// value is left out, because a missing identifier becomes an error that the caller sees, and a wrong one would not. The result depends on
// the response and its request alone.
import { isObject, type JsonObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { decode, type Found, listFields, type NamedField, type Path, readField, readText } from "./fields.ts";
import { areNamed, isNamed, pageFieldNames, shownFields } from "./names.ts";
import { type InferRequest, type JsonNode, listNodes, readDocumentedLink, readId, readLocation } from "./nodes.ts";

/** A response whose body was parsed. */
export interface ParsedResponse {
  readonly status: number;
  readonly headers: HeaderLookup;
  /** The JSON value of the body; a string when it is not JSON; `undefined` when there is none. */
  readonly body: unknown;
}

/**
 * The paths to the parts of a page, from the top of the JSON value: `record`, the object that shows most of it, its `id`, `domains` and all
 * documented fields. A part that the response does not show has none.
 */
export type Layout = Record<string, Path | undefined>;

/** A page as far as a response shows it: documented fields under their names and of their types, and all others unchanged. */
export interface FoundPage {
  [field: string]: unknown;
  id?: string;
  domains: PageDomain[];
}

/** A page, and where it was found. */
export interface InferredPage {
  readonly page: FoundPage;
  /** The fields of the page, unchanged. */
  readonly record: JsonObject;
  readonly layout: Layout;
}

/** Finds the page in the response to a create or an update. Its `id` is missing if it is not certain. */
export function inferPage({ status, headers, body }: ParsedResponse, request: InferRequest = {}): InferredPage {
  const nodes = listNodes(body, request);
  const record = findRecord(nodes, request);
  const owner = record === undefined && request.id !== undefined ? undefined : findOwner(record, nodes);
  const found = readPage(record ?? owner, owner, request);
  const { page } = found;
  // A 202 describes the job and not the page, unless the object that repeats the page has an identifier itself.
  const isDone = status !== 202 || (record !== undefined && owner === homeOf(record));
  const location = status === 202 ? null : headers.get("Location");
  const located = readLocation(location, status, request.sent?.["slug"]);
  // The whole body of a 201 may be the identifier.
  const isLone = status === 201 && /^(?!\d{4}-\d\d-)[\w-]*\d[\w-]*$/.test(String(body));
  const own = (isDone ? page.id : undefined) ?? (isLone ? readId(body) : undefined) ?? located;
  const id = request.id ?? (located === readDocumentedLink(location) ? located : undefined) ?? own;
  delete page.id;
  if (id) page.id = id;
  return found;
}

/**
 * Reads an element of an array, which may be a page or wrap one. `shown` is the number of documented fields that it shows, or an object
 * inside it. `isEnvelope`: it is an object around a list of pages. `found` is absent if no page with a certain identifier is in it.
 */
export function readElement(element: unknown, { apiHost }: InferRequest) {
  const nodes = listNodes(element, { apiHost }, ({ is }, value) => !Array.isArray(value) && !is.kinds.has("foreign"));
  const shown = nodes.reduce((most, { count }) => Math.max(most, count), 0);
  const isEnvelope = shown < 2 && nodes.some(({ path, fields }) => path.length < 2 && fields.some(isList));
  const record = findRecord(nodes.filter(isUnlisted), {}) ?? nodes[0];
  // An object that shows more of a page may be the page.
  const isPage = record !== undefined && !isEnvelope && shown <= Math.max(1, record.count);
  const found = isPage ? readPage(record, findOwner(record, nodes), { apiHost }) : undefined;
  return { shown, isEnvelope, found: found?.page.id ? found : undefined };
}

/** Whether a field may be the list in an envelope. A list of pages is empty or has objects. */
const isList = ({ is, value }: NamedField): boolean =>
  is.kinds.has("list") && Array.isArray(value) && value.every(isObject);

/** Whether an object is below usual names only, and in no array or map with numbers as keys. */
const isUnlisted = ({ path }: JsonNode): boolean => areNamed(path, "neutral", "part", "version");
const isNear = ({ path }: JsonNode): boolean => areNamed(path, "position", "neutral", "part", "version");

/** Reads a page from the fields of its record and of the objects around it, up to its `owner`, which has the identifier. */
function readPage(record: JsonNode | undefined, owner: JsonNode | undefined, request: InferRequest): InferredPage {
  const shown: Record<string, Found | undefined> = { id: owner?.id };
  let merged: JsonObject = record?.value ?? {};
  let inner = "";
  const fields: NamedField[] = [];
  const least = (owner ?? record)?.path.length ?? 0;
  for (let node = record; node !== undefined && node.path.length >= least; node = node.parent) {
    const { [inner]: _inner, ...around } = node === record ? {} : node.value;
    merged = Object.assign(around, merged);
    inner = node.path[node.parent?.path.length ?? 0] ?? "";
    for (const [name, found] of Object.entries(node.shown)) shown[name] ??= found;
    fields.push(...node.fields);
  }
  const page: FoundPage = { ...merged, domains: [] };
  const layout: Layout = { record: record?.path };
  for (const name of ["id", ...pageFieldNames]) {
    const found = shown[name];
    layout[name] = found?.path;
    if (found !== undefined) page[name] = found.value;
    else if (name !== "meta_description" || page[name] !== null) delete page[name];
  }
  const { domains, path } = findDomains(fields, page, request);
  page.domains = domains;
  layout["domains"] = path;
  return { page, record: merged, layout };
}

/**
 * Finds the object with the most fields of the page. An object with only one of them does not count if it may be something else. In the
 * response to an update, one field that was sent is enough. If nothing there repeats a value that was sent, the record is the object with
 * the most documented fields at the top or under neutral names, but in no array.
 */
function findRecord(nodes: readonly JsonNode[], { sent, id }: InferRequest): JsonNode | undefined {
  const [best] = nodes
    .map((node) => ({ node, shown: countShown(node, sent) }))
    .filter(({ node, shown }) => shown > 1 || (shown > 0 && (id !== undefined || isNear(node)) && !isOther(node)))
    .toSorted((one, other) => other.shown - one.shown || other.node.count - one.node.count);
  if (best !== undefined || id === undefined) return best?.node;
  return findRecord(nodes.filter(isUnlisted), {});
}

/** Finds the path of a page that is certain, because it has an identifier and at least two documented fields. */
export function findPagePath(body: unknown, request: InferRequest): Path | undefined {
  const nodes = listNodes(body, request);
  const record = findRecord(nodes, request);
  if (record === undefined || Math.max(record.count, countShown(record, request.sent)) < 2) return undefined;
  return findOwner(record, nodes) && homeOf(record).path;
}

/**
 * Counts the fields of the page that an object shows. After a write, it counts the values that were sent, and a string may have any name.
 * Otherwise it counts the documented fields.
 */
function countShown(node: JsonNode, sent: JsonObject | undefined): number {
  return sent === undefined ? node.count : shownFields.filter((name) => repeats(node, name, sent[name])).length;
}

/** Whether an object has a value that was sent. An object in it that shows several documented fields is a record, and not a text of this one. */
function repeats({ fields, shown }: JsonNode, name: keyof typeof shown, sent: unknown): boolean {
  const cta = shown[name]?.value;
  if (isObject(sent)) return isObject(cta) && Object.entries(sent).every(([part, value]) => cta[part] === value);
  return fields.some(({ value, is }) => {
    return typeof sent === "string" && readText(value, sent) === sent && (!is.kinds.has("field") || is.role === name);
  });
}

const unfinished = /^(?:false|pending|queued|enqueued|accepted|running|in[-_ ]?progress|processing|scheduled)$/i;

/** Whether the fields of an object show that it is not a page, or that it is a task that has not finished. */
function isOther({ fields }: JsonNode): boolean {
  return fields.some(({ is, value }) => {
    if (is.role === "progressState") return unfinished.test(String(value));
    return is.role === "type" && isNamed(readText(value) ?? "", "foreign");
  });
}

/** The object to which a record belongs: the one around a part such as `attributes`, else the record itself. */
const homeOf = (record: JsonNode): JsonNode => (isNamed(record.name, "part") && record.parent) || record;

/**
 * Finds the outermost object with the identifier of a record; `undefined` if the objects around the record have different ones. A record
 * under an unknown name may only repeat the page, so no object under a usual name may have another identifier. Without a record, it is the
 * only object with an identifier below neutral names.
 */
function findOwner(record: JsonNode | undefined, nodes: readonly JsonNode[]): JsonNode | undefined {
  const owners: JsonNode[] = [];
  // The identifier beside a part of a page outranks the one in it.
  const start = record && (homeOf(record).id === undefined ? record : homeOf(record));
  for (let node = start; node !== undefined; node = node.parent) {
    const isAround = node === start || (isNamed(node.name, "part", "neutral") && !isOther(node));
    const isVersion = node.path.some((step) => isNamed(step, "version"));
    // A documented field may be an object with an identifier of its own.
    const isField =
      isNamed(node.name, "field") &&
      node.parent?.fields.some(({ is }) => is.name !== node?.name && is.kinds.has("field"));
    if (node.id !== undefined && isAround && !isVersion && !isField) owners.unshift(node);
  }
  const rivals = record && isNear(record) ? [] : nodes.filter((node) => node.id && isRival(node) && !isOther(node));
  if (record === undefined) owners.push(...rivals.filter(isLone));
  return [...owners, ...rivals].every(({ id }) => id?.value === owners[0]?.id?.value) ? owners[0] : undefined;
}

const isRival = ({ path }: JsonNode): boolean => areNamed(path, "position", "neutral", "part", "version", "identity");

/** Whether an object may be the owner of a page without a record. One that shows fields, but repeats none that were sent, is another page. */
const isLone = ({ path, count }: JsonNode): boolean => count < 2 && areNamed(path, "position", "neutral");

/** Finds the domains of a page in the fields that are named after a domain, else after a URL, else in objects inside the page. */
function findDomains(fields: readonly NamedField[], page: FoundPage, { apiHost, sent }: InferRequest) {
  const ctaUrl = isObject(page["cta"]) ? page["cta"]["url"] : undefined;
  const slug = page["slug"] ?? sent?.["slug"];
  const [named, links] = [0, 1].map((kind) => fields.filter(({ is }) => is.hosts === kind));
  for (const [kind, own = []] of [named, links, fields.flatMap(listInner)].entries()) {
    const domains = own
      .flatMap(({ value }) => readHosts(value))
      .filter(({ name, url = "" }) => {
        // A `url` may lead to an editor. It counts if it contains the slug. Without a known slug, it counts if it does not contain the identifier.
        const isPublic =
          typeof slug === "string" ? url.includes(slug) : kind < 2 && !url.split(/[/?#=]/).includes(page.id ?? "");
        return (
          name !== apiHost && (url === "" || url !== ctaUrl) && (kind === 0 || (isPublic && !url.includes("/api/")))
        );
      });
    const byName = new Map(domains.map((each) => [each.name, each]));
    if (byName.size > 0) return { domains: [...byName.values()], path: own[0]?.path };
  }
  return { domains: [], path: named?.[0]?.path };
}

/** Lists the fields that are named after a domain in an object inside a page, such as `publishing`. */
function listInner({ is, path, value }: NamedField): NamedField[] {
  if (!isObject(value) || is.hosts >= 0 || is.kinds.has("foreign")) return [];
  return listFields(value, path).filter((field) => field.is.hosts === 0);
}

/** Reads the hosts in a value. An object with a name or a URL of a host is one domain; any other contains domains. */
function readHosts(given: unknown): PageDomain[] {
  const value = decode(given);
  if (typeof value === "string") {
    const hosts = value.split(/[\s,;]+/).map(readHost);
    // A sentence that names a host is not a host.
    return hosts.every((host) => host !== undefined) ? hosts : [];
  }
  if (Array.isArray(value)) return value.flatMap(readHosts);
  if (!isObject(value)) return [];
  const own = listFields(value);
  if (own.some(isGone)) return [];
  const read = (role: string) => readField(own, role, (each) => readHosts(each)[0])?.value;
  const known = read("name") ?? read("host") ?? read("link");
  const url = own.find(({ is, value: each }) => {
    return isUrl(each) && (is.key === "url" || is.key === "href" || readHost(String(each))?.name === known?.name);
  });
  if (known !== undefined) return [{ ...known, ...(url && { url: String(url.value) }) }];
  return own.flatMap(({ is: { name, holdsHosts }, value: inner }) => {
    if (readHost(name) === undefined) return holdsHosts ? readHosts(inner) : [];
    return readHosts({ name, ...(isObject(inner) ? inner : { url: inner, active: inner }) });
  });
}

const deletion = /^(?:is)?(?:deleted(?:at)?|removed(?:at)?|rejected|disabled|inactive|excluded)$/;
const serving =
  /^(?:is)?(?:active|assigned|attached|chosen|connected|deployed|enabled|issued|live|ok|online|published|ready|serving|succe\w+|up|valid|verified)$/i;

/** Whether a field of an entry of `domains` says that the domain does not serve the page. */
function isGone({ is: { key }, value }: NamedField): boolean {
  if (deletion.test(key)) return Boolean(value);
  if (typeof value !== "string") return serving.test(key) && value === false;
  return /^stat(?:us|e)$/.test(key) ? !serving.test(value) : /^(?:available|suggested|unassigned)$/i.test(value);
}

function readHost(text: string): PageDomain | undefined {
  const url = /[\s@]/.test(text) ? null : URL.parse(isUrl(text) ? text : `https://${text}`);
  const isHost = /^(?:[a-z\d-]+\.)+(?!html?$|php$|json$|xml$|pdf$|png$|jpe?g$)[a-z]{2,}$/i.test(url?.hostname ?? "");
  if (url === null || !isHost) return undefined;
  return { name: url.host, ...(text.includes("/") && { url: isUrl(text) ? text : url.href }) };
}

const isUrl = (value: unknown): boolean => typeof value === "string" && /^https?:\/\//i.test(value);
