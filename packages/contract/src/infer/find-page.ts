// Finds the page in a response whose shape is not documented. Structure decides, and names break ties. An uncertain
// value is left out, because a missing identifier becomes an error that the caller sees, and a wrong one would not. The result depends on
// the response and its request alone.
import { isObject, type JsonObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { decode, listFields, type NamedField, type Path, readField, readText } from "./fields.ts";
import { areNamed, isNamed, type PageFieldName, pageFieldNames, type Role, textFields } from "./names.ts";
import { type InferRequest, type JsonNode, listNodes, readDocumentedLink, readId, readLocation } from "./nodes.ts";

/** A response whose body was parsed. */
export interface ParsedResponse {
  readonly status: number;
  readonly headers: HeaderLookup;
  /** The JSON value of the body; a string when it is not JSON; `undefined` when there is none. */
  readonly body: unknown;
}

/** The paths to the parts of a page. Each path starts at the top of the JSON value. */
export interface Layout {
  /** The object that shows most of the page; `undefined` if none shows anything. */
  readonly record: Path | undefined;
  /**
   * The documented fields, including fields that it does not show. The path of `domains` is the field that names them most surely.
   */
  readonly fields: { readonly [Field in PageFieldName | "id" | "domains"]?: Path | undefined };
}

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
  const { apiHost, sent, id } = request;
  const nodes = listNodes(body, request);
  const record = findWritten(nodes, request);
  const owner = record ? findOwner(record, nodes) : id === undefined ? findLoneOwner(nodes) : undefined;
  const found = readPage(record ?? owner, owner, request);
  const own = found.page.id;
  delete found.page.id;
  // A 202 describes the job and not the page, unless the object that repeats the page has an identifier itself.
  const isDone = status !== 202 || (record !== undefined && owner === homeOf(record));
  if (id !== undefined) found.page.id = id;
  else if (isDone) {
    const location = headers.get("Location");
    // The whole body of a 201 may be the identifier.
    const isLone = status === 201 && /^(?!\d{4}-\d\d-)[\w-]*\d[\w-]*$/.test(String(body));
    const located = readLocation(location, apiHost, sent?.["slug"]);
    const documented = located === readDocumentedLink(location, apiHost) ? located : undefined;
    const last = status === 201 ? located : undefined;
    const certain = documented ?? own ?? (isLone ? readId(body) : undefined) ?? last;
    if (certain) found.page.id = certain;
  }
  return found;
}

/**
 * Reads an element of an array, which may be a page or wrap one. `shown` is the number of documented fields that it shows, or an object
 * inside it. `isEnvelope`: it is an object around a list of pages. `found` is absent if no page with a certain identifier is in it.
 */
export function readElement(element: unknown, { apiHost }: InferRequest) {
  const nodes = listNodes(element, { apiHost }, ({ kinds }, value) => !Array.isArray(value) && !kinds.has("foreign"));
  const shown = nodes.reduce((most, { count }) => Math.max(most, count), 0);
  const isEnvelope = shown < 2 && nodes.some(({ path, fields }) => path.length < 2 && fields.some(isList));
  const record = findRecord(nodes.filter(isNear), {}) ?? nodes[0];
  // An object that shows more of a page may be the page.
  const isPage = record !== undefined && !isEnvelope && shown <= Math.max(1, record.count);
  const found = isPage ? readPage(record, findOwner(record, nodes), { apiHost }) : undefined;
  return { shown, isEnvelope, found: found?.page.id ? found : undefined };
}

/** Whether a field may be the list in an envelope. A list of pages is empty or has objects. */
const isList = ({ kinds, value }: NamedField): boolean =>
  kinds.has("list") && Array.isArray(value) && value.every(isObject);

const isNear = ({ path }: JsonNode): boolean => areNamed(path, "position", "neutral", "part", "version");

/** Reads a page from the fields of its record and of the objects around it, up to its `owner`, which has the identifier. */
function readPage(record: JsonNode | undefined, owner: JsonNode | undefined, request: InferRequest): InferredPage {
  const { apiHost, sent } = request;
  const nodes: JsonNode[] = [];
  const least = (owner ?? record)?.path.length ?? 0;
  for (let node = record; node !== undefined && node.path.length >= least; node = node.parent) nodes.unshift(node);
  let merged: JsonObject = {};
  const hosts: NamedField[] = [];
  for (const { path, parent, value, fields } of nodes) {
    hosts.unshift(...fields.filter((field) => field.hosts >= 0));
    // The field that contains the next object is left out.
    const { [path[parent?.path.length ?? 0] ?? ""]: _next, ...around } = merged;
    merged = Object.assign(around, value);
  }
  const page: FoundPage = { ...merged, domains: [] };
  if (owner?.id === undefined) delete page.id;
  else page.id = owner.id.value;
  const paths: { -readonly [Name in keyof Layout["fields"]]: Layout["fields"][Name] } = { id: owner?.id?.path };
  for (const name of pageFieldNames) {
    const found = nodes.findLast(({ shown }) => shown[name] !== undefined)?.shown[name];
    paths[name] = found?.path;
    if (found !== undefined) page[name] = found.value;
    else if (name !== "meta_description" || page[name] !== null) delete page[name];
  }
  const ctaUrl = isObject(page["cta"]) ? page["cta"]["url"] : undefined;
  const slug = page["slug"] ?? sent?.["slug"];
  const isOwn = ({ name, url = "" }: PageDomain, kind: number) => {
    // A `url` may lead to an editor. It counts if it contains the slug. Without a known slug, it counts if it does not contain the identifier.
    const isPublic =
      kind < 2 || (typeof slug === "string" ? url.includes(slug) : !url.split(/[/?#=]/).includes(page.id ?? ""));
    return name !== apiHost && (url === "" || url !== ctaUrl) && isPublic && (kind === 0 || !url.includes("/api/"));
  };
  const { domains, path } = findDomains(hosts, isOwn);
  page.domains = domains;
  paths.domains = path;
  return { page, record: merged, layout: { record: record?.path, fields: paths } };
}

/**
 * Finds the object with the most fields of the page. An object with only one of them does not count if it may be something else. In the
 * response to an update, one field that was sent is enough.
 */
function findRecord(nodes: readonly JsonNode[], { sent, id }: InferRequest): JsonNode | undefined {
  const records = nodes
    .map((node) => ({ node, shown: countShown(node, sent) }))
    .filter(({ node, shown }) => shown > 1 || (shown > 0 && (id !== undefined || isNear(node)) && !isOther(node)));
  const [best] = records.toSorted((one, other) => other.shown - one.shown || other.node.count - one.node.count);
  return best?.node;
}

/**
 * Finds the record in the response to a write. If nothing in the response to an update repeats a value that was sent, the record is the
 * object with the most documented fields at the top or under a neutral name.
 */
function findWritten(nodes: readonly JsonNode[], request: InferRequest): JsonNode | undefined {
  return findRecord(nodes, request) ?? (request.id === undefined ? undefined : findRecord(nodes.filter(isNear), {}));
}

/** Finds the path of a page that is certain, because it has an identifier and at least two documented fields. */
export function findPagePath(body: unknown, request: InferRequest): Path | undefined {
  const nodes = listNodes(body, request);
  const record = findWritten(nodes, request);
  if (record === undefined || Math.max(record.count, countShown(record, request.sent)) < 2) return undefined;
  return findOwner(record, nodes) && homeOf(record).path;
}

/**
 * Counts the fields of the page that an object shows. After a write, it counts the values that were sent, and a string may have any name.
 * Otherwise it counts the documented fields.
 */
function countShown({ fields, shown: { cta: found }, count }: JsonNode, sent: JsonObject | undefined): number {
  if (sent === undefined) return count;
  const texts = textFields.filter((name) => typeof sent[name] === "string" && repeats(fields, sent[name], name));
  const cta = found?.value;
  const parts = Object.entries(isObject(sent["cta"]) ? sent["cta"] : {});
  const isCta = isObject(cta) && parts.length > 0 && parts.every(([name, part]) => cta[name] === part);
  return texts.length + Number(isCta);
}

/** Whether one of the fields is this text. An object that shows several documented fields is a record, and not a text of this one. */
function repeats(fields: readonly NamedField[], text: string, own: Role): boolean {
  return fields.some(({ value, role, kinds }) => {
    if (readText(value, text) !== text || (kinds.has("field") && role !== own)) return false;
    return !isObject(value) || listFields(value).filter(({ kinds }) => kinds.has("field")).length < 2;
  });
}

const unfinished = /^(?:false|pending|queued|enqueued|accepted|running|in[-_ ]?progress|processing|scheduled)$/i;

/** Whether the fields of an object show that it is not a page, or that it is a task that has not finished. */
function isOther({ fields }: JsonNode): boolean {
  return fields.some(({ role, value }) => {
    if (role === "progress") return unfinished.test(String(value));
    return role === "type" && isNamed(readText(value) ?? "", "foreign");
  });
}

/** The object to which a record belongs: the one around a part such as `attributes`, else the record itself. */
const homeOf = (record: JsonNode): JsonNode => (isNamed(record.name, "part") && record.parent) || record;

/**
 * Finds the outermost object with the identifier of a record; `undefined` if the objects around the record have different ones. A record
 * under an unknown name may only repeat the page, so no object under a usual name may have another identifier.
 */
function findOwner(record: JsonNode, nodes: readonly JsonNode[]): JsonNode | undefined {
  const home = homeOf(record);
  // The identifier beside a part of a page outranks the one in it.
  const start = home.id === undefined ? record : home;
  const owners: JsonNode[] = [];
  for (let node: JsonNode | undefined = start; node !== undefined; node = node.parent) {
    const isAround = node === start || (isNamed(node.name, "part", "neutral") && !isOther(node));
    const isVersion = node.path.some((step) => isNamed(step, "version"));
    // A documented field may be an object with an identifier of its own.
    const isField =
      isNamed(node.name, "field") &&
      node.parent?.fields.some(({ name, kinds }) => name !== node?.name && kinds.has("field"));
    if (node.id !== undefined && isAround && !isVersion && !isField) owners.unshift(node);
  }
  const rivals = isNear(record) ? owners : nodes.filter((node) => node.id && isNear(node) && !isOther(node));
  return [...owners, ...rivals].every(({ id }) => id?.value === owners[0]?.id?.value) ? owners[0] : undefined;
}

/** Finds the object with the identifier in a response that shows nothing of the page. It must be the only one below neutral names. */
function findLoneOwner(nodes: readonly JsonNode[]): JsonNode | undefined {
  const [owner, ...others] = nodes.filter((node) => {
    const isNear = areNamed(node.path, "position", "neutral", "identity");
    // An object that shows fields, but repeats none that were sent, is another page.
    return isNear && node.id !== undefined && node.count < 2 && !isOther(node);
  });
  const isOnly = others.every(({ id }) => id?.value === owner?.id?.value);
  return isOnly && owner && areNamed(owner.path, "position", "neutral") ? owner : undefined;
}

/** Finds the domains of a page in the fields of the surest kind that has any. `path` is the path of the surest field. */
function findDomains(fields: readonly NamedField[], isOwn: (domain: PageDomain, kind: number) => boolean) {
  const sorted = fields.toSorted((one, other) => one.hosts - other.hosts);
  const found = sorted.map(({ hosts, path, value }) => {
    return { hosts, path, domains: readHosts(value).filter((domain) => isOwn(domain, hosts)) };
  });
  const surest = found.find(({ domains }) => domains.length > 0) ?? found[0];
  const domains = found.filter(({ hosts }) => hosts === surest?.hosts).flatMap((each) => each.domains);
  return { domains: [...new Map(domains.map((each) => [each.name, each])).values()], path: surest?.path };
}

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
  const read = (role: Role) => readField(own, role, (each) => readHosts(each)[0])?.value;
  const known = read("name") ?? read("host") ?? read("url") ?? read("href");
  const urls = own.filter((field) => isUrl(field.value));
  const url =
    urls.find(({ role }) => role === "url" || role === "href") ??
    urls.find((field) => readHost(String(field.value))?.name === known?.name);
  if (known !== undefined) return [{ ...known, ...(url && { url: String(url.value) }) }];
  return own.flatMap(({ name, value: inner, holdsHosts }) => {
    const host = readHost(name);
    if (host === undefined) return holdsHosts ? readHosts(inner) : [];
    if (inner === false || (isObject(inner) && listFields(inner).some(isGone))) return [];
    return [isUrl(inner) ? { name: host.name, url: String(inner) } : host];
  });
}

const deletion = /^(?:is)?(?:deleted(?:at)?|removed(?:at)?|rejected|disabled|inactive|excluded)$/;
const serving =
  /^(?:is)?(?:active|assigned|attached|chosen|connected|deployed|enabled|issued|live|ok|online|published|ready|serving|succe\w+|up|valid|verified)$/i;

/** Whether a field of an entry of `domains` says that the domain does not serve the page. */
function isGone({ key, value }: NamedField): boolean {
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

function isUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//i.test(value);
}
