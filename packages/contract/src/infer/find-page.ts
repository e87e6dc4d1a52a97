// Finds the page in a response whose shape is not documented. Structure decides, and names break ties. An uncertain
// value is left out, because a missing identifier becomes an error that the caller sees, and a wrong one would not. The result depends on
// the response and its request alone.
import { isObject, type JsonObject } from "../json.ts";
import type { PageDomain } from "../page.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import {
  areNamed,
  decode,
  type Found,
  hostSources,
  isNamed,
  listFields,
  type NamedField,
  type Path,
  pick,
  readFirst,
  readName,
  readText,
  textFields,
  valueAt,
} from "./fields.ts";
import {
  type InferRequest,
  type JsonNode,
  listNodes,
  listPageFields,
  makeNode,
  type PageFieldName,
  pageFieldNames,
  readDocumentedLink,
  readId,
  readIdIn,
  readLocation,
} from "./nodes.ts";

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
  const lone = record === undefined && id === undefined ? findLoneOwner(nodes) : [];
  const owners = record === undefined ? lone : findOwners(record);
  const found = makeReader(record ?? owners[0], owners, request)(body);
  const own = found.page.id;
  delete found.page.id;
  // A 202 describes the job and not the page, unless the object that repeats the page has an identifier itself.
  const page = record && isNamed(record.name, "part") ? record.parent : record;
  const isDone = status !== 202 || (page !== undefined && owners[0] === page);
  if (id !== undefined) found.page.id = id;
  else if (isDone) {
    const location = headers.get("Location") ?? "";
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
 * Makes a function that reads the page in an element of a list, and in elements of the same shape. The function returns `undefined` if the
 * element is not a page, or if its identifier is not certain.
 */
export function makeElementReader(
  element: unknown,
  listName: string,
  { apiHost }: InferRequest,
): (element: unknown) => InferredPage | undefined {
  const nodes = listNodes(element, { apiHost }, mayWrap, listName);
  // An element is a page or wraps one under the name of a page.
  const record = findRecord(nodes.filter(isNear), {}) ?? nodes[0];
  const isNone = record === undefined || !isObject(element);
  // An object that shows more of a page may be the page.
  if (isNone || nodes.some(({ count }) => count > 1 && count > record.count)) return () => undefined;
  if (record.parent === undefined && isEnvelope(element, { apiHost })) return () => undefined;
  const read = makeReader(record, findOwners(record), { apiHost });
  return (alike) => {
    const found = read(alike);
    const { id, slug } = found.page;
    // A link of the first element was compared with its own slug.
    const isSlug = alike !== element && id === slug;
    return id === undefined || id === "" || isSlug ? undefined : found;
  };
}

/** Whether a value may contain the page of an element. A list inside the element does not. */
function mayWrap(name: string, value: unknown): boolean {
  if (!Array.isArray(decode(value))) return !isNamed(name, "foreign");
  return isNamed(name, ...steps) && !isNamed(name, "list");
}

/** Kinds of names that lead from a page, or from a wrapper of one, to its fields. */
const steps = ["neutral", "part", "version"] as const;

const isNear = ({ path }: JsonNode): boolean => areNamed(path, "position", ...steps);

/** Whether an element of an array is no page, but an object around a list of them. Its identifier, if it has one, must be certain. */
export function isEnvelope(element: unknown, request: InferRequest): boolean {
  const value = decode(element);
  if (!isObject(value) || !holdsList(value) || countWithin(value) > 1) return false;
  const { id, idFields } = makeNode(value, [], request);
  return Boolean(id?.value) || idFields.length === 0;
}

/** Whether an object contains a list, directly or one object further in. The list is empty or has objects. */
function holdsList(element: unknown, depth = 0): boolean {
  if (!isObject(element)) return false;
  return Object.entries(element).some(([name, value]) => {
    if (!Array.isArray(value)) return depth < 1 && holdsList(value, depth + 1);
    return isNamed(name, "list") && value.every(isObject);
  });
}

/** Counts the documented fields that an element shows, or those of an object inside it if it shows more. */
export function countWithin(element: unknown): number {
  const nodes = listNodes(element, {}, (_name, value) => !Array.isArray(decode(value)));
  return Math.max(0, ...nodes.map(({ count }) => count));
}

/**
 * Makes a function that reads a page from the fields of its record and of the objects around it, up to the first of its `owners`. It reads
 * the identifier from each of these, and leaves it out if they differ. An identifier is empty if it is not certain.
 */
function makeReader(record: JsonNode | undefined, owners: readonly JsonNode[], { apiHost, sent }: InferRequest) {
  const nodes: JsonNode[] = [];
  const least = (owners[0] ?? record)?.path.length ?? 0;
  for (let node = record; node !== undefined && node.path.length >= least; node = node.parent) nodes.push(node);
  const fields = pageFieldNames.map((name) => ({
    name,
    candidates: nodes.flatMap((node) => listPageFields(node.fields, name, sent)),
  }));
  const hosts = listHostFields(nodes);
  const outermostFirst = nodes.toReversed();
  return (root: unknown): InferredPage => {
    const merged: Record<string, unknown> = {};
    for (const { path, parent } of outermostFirst) {
      // The field that contains the next object is left out.
      const step = parent && path[parent.path.length];
      if (step !== undefined) delete merged[step];
      Object.assign(merged, decode(valueAt(root, path)));
    }
    const page: FoundPage = { ...merged, domains: [] };
    delete page.id;
    const paths: { -readonly [Name in keyof Layout["fields"]]: Layout["fields"][Name] } = {};
    for (const { name, candidates } of fields) {
      const found = readFirst(candidates, root);
      paths[name] = found?.path;
      if (found !== undefined) page[name] = found.value;
      else if (name !== "meta_description" || page[name] !== null) delete page[name];
    }
    const id = readSharedId(owners, root);
    if (id !== undefined) page.id = id.value;
    paths.id = id?.path;
    const ctaUrl = isObject(page["cta"]) ? page["cta"]["url"] : undefined;
    const { domains, path } = findDomains(hosts, root, apiHost, ctaUrl);
    page.domains = domains;
    paths.domains = path;
    return { page, record: merged, layout: { record: record?.path, fields: paths } };
  };
}

/** Reads the identifier of a record from the objects that have it; `undefined` if they have different ones. */
function readSharedId([first, ...others]: readonly JsonNode[], root: unknown): Found<string> | undefined {
  const found = first && readIdIn(first.idFields, root);
  for (const { idFields } of others) if (readIdIn(idFields, root)?.value !== found?.value) return undefined;
  return found;
}

/**
 * Finds the object with the most fields of the page. An object with only one of them does not count if it may be something else. In the
 * response to an update, one field that was sent is enough.
 */
function findRecord(nodes: readonly JsonNode[], { sent, id }: InferRequest): JsonNode | undefined {
  const records = nodes
    .map((node) => ({ node, shown: countShown(node, sent) }))
    .filter(({ node, shown }) => shown > 1 || (shown > 0 && (id !== undefined || isNear(node)) && !isOther(node)));
  const [best] = records.toSorted(
    (one, other) =>
      other.shown - one.shown ||
      other.node.count - one.node.count ||
      Number(other.node.id !== undefined) - Number(one.node.id !== undefined),
  );
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
  const record = findWritten(listNodes(body, request), request);
  if (record === undefined || Math.max(record.count, countShown(record, request.sent)) < 2) return undefined;
  return findOwners(record).at(-1)?.path;
}

/**
 * Counts the fields of the page that an object shows. After a write, it counts the values that were sent, and a string may have any name.
 * Otherwise it counts the documented fields.
 */
function countShown({ fields, count }: JsonNode, sent: JsonObject | undefined): number {
  if (sent === undefined) return count;
  let shown = 0;
  for (const name of textFields) if (typeof sent[name] === "string" && repeats(fields, sent[name])) shown += 1;
  const cta = readFirst(listPageFields(fields, "cta", sent))?.value;
  const parts = Object.entries(isObject(sent["cta"]) ? sent["cta"] : {});
  if (isObject(cta) && parts.length > 0 && parts.every(([name, part]) => cta[name] === part)) shown += 1;
  return shown;
}

/** Whether one of the fields is this text. An object that shows several documented fields is a record, and not a text of this one. */
function repeats(fields: readonly NamedField[], text: string): boolean {
  for (const { value } of fields) {
    if (readText(value, text) !== text) continue;
    if (listFields(value).filter(({ name }) => isNamed(name, "field")).length < 2) return true;
  }
  return false;
}

const unfinished = /^(?:false|pending|queued|enqueued|accepted|running|in[-_ ]?progress|processing|scheduled)$/i;

/** Whether the fields of an object show that it is not a page, or that it is a task that has not finished. */
function isOther({ fields }: JsonNode): boolean {
  for (const { key, value } of fields) {
    if (/^(?:status|state|done|operation)$/.test(key) && unfinished.test(String(value))) return true;
    const isKind = /^(?:type|kind|object|resourcetype|operation)$/.test(key);
    if (isKind && isNamed(readText(value) ?? "", "foreign")) return true;
  }
  return false;
}

/**
 * Finds the objects with the identifier of a record, the outermost first: the record and the objects around it. Returns none if two of
 * them have different identifiers.
 */
function findOwners(record: JsonNode): readonly JsonNode[] {
  const owners: JsonNode[] = [];
  const isPart = isNamed(record.name, "part");
  for (let node: JsonNode | undefined = record; node !== undefined; node = node.parent) {
    const isAround = node === record || ((isPart || isNamed(node.name, "part", "neutral")) && !isOther(node));
    const isVersion = node.path.some((step) => isNamed(step, "version"));
    // A documented field may be an object with an identifier of its own.
    const isField =
      isNamed(node.name, "field") &&
      node.parent?.fields.some(({ name }) => name !== node.name && isNamed(name, "field"));
    if (node.id !== undefined && isAround && !isVersion && !isField) owners.unshift(node);
  }
  // The identifier beside a part of a page outranks the one in it.
  if (isPart && owners.length > 1 && owners.at(-1) === record) owners.pop();
  return owners.every(({ id }) => id?.value === owners[0]?.id?.value) ? owners : [];
}

/**
 * Finds the object with the identifier in a response that shows nothing of the page, and returns it in an array. It must be the only one
 * below neutral names.
 */
function findLoneOwner(nodes: readonly JsonNode[]): readonly JsonNode[] {
  const [owner, ...others] = nodes.filter((node) => {
    const isNear = areNamed(node.path, "position", "neutral", "identity");
    // An object that shows fields, but repeats none that were sent, is another page.
    return isNear && node.id !== undefined && node.count < 2 && !isOther(node);
  });
  const isOnly = others.every(({ id }) => id?.value === owner?.id?.value);
  return isOnly && owner && areNamed(owner.path, "position", "neutral") ? [owner] : [];
}

/** Lists the fields of a page, and of the objects around it, that may contain its domains, the surest first. */
function listHostFields(nodes: readonly JsonNode[]): HostField[] {
  const hosts: HostField[] = [];
  for (const wanted of hostSources)
    for (const { fields } of nodes)
      for (const { name, path } of fields) if (readName(name).hosts === wanted) hosts.push({ source: wanted, path });
  for (let node = nodes.at(-1)?.parent; node !== undefined; node = node.parent)
    for (const { key, path } of node.fields)
      if (key === "domains" || key === "domain") hosts.push({ source: "around", path });
  return hosts;
}

/** A field that may contain domains. `around` is one of an object around the page. */
interface HostField {
  readonly source: (typeof hostSources)[number] | "around";
  readonly path: Path;
}

/** Finds the domains in the fields of the surest kind that has any. `path` is the path of the surest field. */
function findDomains(hosts: readonly HostField[], root: unknown, apiHost: string | undefined, ctaUrl: unknown) {
  const domains = new Map<string, PageDomain>();
  let known: HostField | undefined;
  for (const host of hosts) {
    if (known !== undefined && known.source !== host.source) break;
    const isSure = host.source === "named domain" || host.source === "site" || host.source === "around";
    for (const domain of readHosts(valueAt(root, host.path))) {
      const { name, url } = domain;
      const isPublic = isSure || url?.includes("/api/") === false;
      if (!isPublic || name === apiHost || (url !== undefined && url === ctaUrl)) continue;
      domains.set(name, domain);
      known ??= host;
    }
  }
  return { domains: [...domains.values()], path: (known ?? hosts[0])?.path };
}

const mostDomains = 200;

function readHosts(given: unknown): PageDomain[] {
  const value = decode(given);
  if (typeof value === "string") {
    const hosts = value
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(readHost);
    // A sentence that names a host is not a host.
    return hosts.every(({ length }) => length > 0) ? hosts.flat() : [];
  }
  if (Array.isArray(value)) return value.slice(0, mostDomains).flatMap(readHosts);
  if (!isObject(value) || isGone(value)) return [];
  const readOne = (each: unknown) => readHosts(each)[0];
  const urlNames = ["url", "href", "publicurl", "base", "origin"];
  const known = pick(value, ["name", "host", "hostname", "domain", "fqdn"], readOne) ?? pick(value, urlNames, readOne);
  const url = pick(value, urlNames, (each) => (isUrl(each) ? String(each) : undefined));
  if (known !== undefined) return [url === undefined ? known : { ...known, url }];
  return Object.entries(value).flatMap(([key, inner]) => {
    const [host] = readHost(key);
    if (host === undefined) return readName(key).holdsHosts ? readHosts(inner) : [];
    if (inner === false || (isObject(inner) && isGone(inner))) return [];
    return [isUrl(inner) ? { name: host.name, url: String(inner) } : host];
  });
}

const deletion = /^(?:deletedat|removedat|deleted)$/;
const serving =
  /^(?:is)?(?:active|assigned|attached|connected|deployed|enabled|issued|live|ok|online|published|ready|serving|succe\w+|up|valid|verified)$/i;

/** Whether an entry of `domains` says that the domain does not serve the page. */
function isGone(domain: JsonObject): boolean {
  return Object.entries(domain).some(([name, value]) => {
    const { key } = readName(name);
    if (deletion.test(key)) return Boolean(value);
    if (typeof value !== "string") return serving.test(key) && value === false;
    return /^stat(?:us|e)$/.test(key) ? !serving.test(value) : /^(?:available|suggested|unassigned)$/i.test(value);
  });
}

function readHost(text: string): PageDomain[] {
  const isHost = /^(?:[a-z\d-]+\.)+(?!html?$|php$|json$|xml$|pdf$|png$|jpe?g$)[a-z]{2,}$/i;
  if (isHost.test(text)) return [{ name: text.toLowerCase() }];
  const url = URL.parse(isUrl(text) ? text : `https://${text}`);
  if (url === null || !isHost.test(url.hostname) || /\s|@/.test(text)) return [];
  return [{ name: url.host, ...(text.includes("/") && { url: isUrl(text) ? text : url.href }) }];
}

function isUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//i.test(value);
}
