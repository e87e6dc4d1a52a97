// Interprets the names of fields, and reads their values in the forms that services use.
import { isObject, type JsonObject, parseExactJson } from "../json.ts";

const list = (words: string): readonly string[] => words.split(" ");

/** Names of documented fields, of identifiers and counts, in lower case and without separators between words. */
export const names = {
  title: list("title pagetitle"),
  content: list("content pagecontent"),
  slug: list("slug pageslug"),
  meta_description: list("metadescription pagemetadescription"),
  cta: list("cta calltoaction pagecta"),
  created_at: list("createdat created createdon datecreated creationdate createddate createdate dateadded"),
  updated_at: list("updatedat updated updatedon modifiedat modified lastmodified dateupdated updateddate modifieddate"),
  id: list("id pageid landingpageid contentid entryid itemid recordid"),
  otherId: list("gid pk oid nid objectid identifier controlnumber insertedid lastinsertid createdid newid"),
  uid: list("uuid guid uid ulid sid"),
  self: list("self selflink selfurl href location odataid uri url link"),
  text: list("raw value text stringvalue plaintext content rendered markdown html current"),
  total: list(
    "total totalcount totaldocs totalrows totalitems totalresults totalelements totalrecords totalhits totalsize totalnumberofrecords numfound found recordstotal odatacount hydratotalitems count",
  ),
} as const;

/** The documented fields that are strings. */
export const textFields = ["title", "content", "slug", "meta_description"] as const;

/** Kinds of names that match any word of a name. */
const kindsOfWords = {
  /** People, work in progress, neighbors, files and parts of a page. Nothing under them is a page. */
  foreign:
    /^(?:author|user|owner|editor|creator|account|customer|client|organi[sz]ation|tenant|team|workspace|company|person|by|task|job|queue|batch|operation|transaction|request|trace|audit|log|event|parent|child|children|related|relationship|previous|prev|next|image|media|asset|picture|photo|avatar|thumbnail|icon|file|video|categor(?:y|ie)|tag|comment|webhook|workflow|error|warning|notification|notice|message|included?|deploy(?:ment)?|translation|seo|cta|hero|block|template|receipt|session|permission|role|form|analytics|statistic)s?$/,
  /** A page, a list of pages, or a wrapper of one. */
  neutral:
    /^(?:page|landing|content|item|record|entr(?:y|ie)|doc|document|node|resource|object|data|result|response|payload|body|article|post|stor(?:y|ie)|hit|create[ds]?|insert(?:ed)?|new|added|saved?)s?$/,
  /** One state of a page, whose identifier is not that of the page. */
  version: /^(?:revision|version|current|latest|draft|snapshot|locale|language|variant)s?$/,
} as const;

/** Kinds of names that match the whole name. */
const kindsOfNames = {
  /** The fields of a page, with the identifier beside them. */
  part: /^(?:attributes|fields|fielddata|properties|source|elements|spec|values|json|node|doc)$/,
  /** Objects that identify the record. */
  identity: /^(?:sys(?:tem)?|meta(?:data)?|identity|(?:page|content|item|entry)(?:link|ref|reference|key|identity))$/,
  /** Counts of a list, or links to its other parts. */
  paging: /^(?:meta|metadata|page|pages|pageinfo|paging|pagination|pageable|resultinfo|info)$/,
  /** A list of pages. */
  list: /^(?:data|items|results?|pages|landingpages|contents?|records|rows|entries|docs|documents|hits|values?|nodes|edges|list|collection|elements|articles|posts|(?:hydra)?member)$/,
  /** The index in an array. */
  position: /^\d+$/,
  /** A documented field. */
  field: new RegExp(`^(?:${[...textFields, "cta" as const].flatMap((field) => names[field]).join("|")})$`),
} as const;

/** Kinds of names. */
export type NameKind = keyof typeof kindsOfWords | keyof typeof kindsOfNames;

const domainWord = /^(?:domain|host|hostname|fqdn|alias|aliase|placement)s?$/;
const urlWord = /^(?:ur[il]s?|link|permalink|href)$/;
/** Words for a URL at which the public sees the page. */
const publicWord = /^(?:public|published|live|site|web|html|page|store|hosted|share|canonical|permalink)$/;
/** Words that may accompany these: `primary_domain` is a domain of the page, `ftp_host` is not. */
const plainWord =
  /^(?:page|landing|primary|main|custom|default|assigned|host(?:ed|ing)|secondary|full|name|online|my)s?$/;
const isHostWord = (word: string): boolean =>
  [domainWord, urlWord, publicWord, plainWord].some((each) => each.test(word));

/** Kinds of fields that may contain the domains of a page, the surest first. */
export const hostKinds = ["domain", "public URL", "URL"] as const;

/** Whether a name has one of these kinds. */
export const isNamed = (name: string, ...kinds: readonly NameKind[]): boolean =>
  kinds.some((kind) => readName(name).kinds.has(kind));

/** Whether all steps of a path have one of these kinds. */
export const areNamed = (path: Path, ...kinds: readonly NameKind[]): boolean =>
  path.every((step) => isNamed(step, ...kinds));

/** Interprets the name of a field. The records of a list have the same names, so each is interpreted once. */
export function readName(name: string): ReturnType<typeof interpretName> {
  const known = meanings.get(name);
  if (known !== undefined) return known;
  if (meanings.size >= mostMeanings) meanings.clear();
  const meaning = interpretName(name);
  meanings.set(name, meaning);
  return meaning;
}

const meanings = new Map<string, ReturnType<typeof interpretName>>();
const mostMeanings = 1000;

/**
 * Finds the meaning of a name in any spelling: `meta_description`, `metaDescription` and `Meta-Description` mean the same. Its `key` is in
 * lower case, without separators between words. `hosts` says how the field names domains of a page, if it does.
 */
function interpretName(name: string) {
  const spaced = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, " ").toLowerCase();
  const words = spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const key = words.join("");
  const ofWords = Object.entries(kindsOfWords).filter(([, pattern]) => words.some((word) => pattern.test(word)));
  const ofName = Object.entries(kindsOfNames).filter(([, pattern]) => pattern.test(key));
  const kinds = new Set([...ofWords, ...ofName].map(([kind]) => kind as NameKind)); // why: it is a key of the tables
  // Inside `domains`, a name that says more than this may be that of domains of other pages.
  const isPlain = words.every((word) => word === "id" || isHostWord(word));
  return { key, kinds, hosts: findHostKind(words), holdsHosts: isPlain || kinds.has("list") || kinds.has("part") };
}

function findHostKind(words: readonly string[]): (typeof hostKinds)[number] | undefined {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (!words.every(isHostWord)) return undefined;
  if (has(domainWord)) return "domain";
  if (has(urlWord) && has(publicWord)) return "public URL";
  return has(urlWord) && words.length === 1 ? "URL" : undefined;
}

/** The keys from the top of a JSON value to a value inside it. */
export type Path = readonly string[];

/** Reads a value, or returns `undefined`. */
type Read<Value> = (value: unknown) => Value | undefined;

/** A value that was found, with its path. */
export interface Found<Value = unknown> {
  readonly path: Path;
  readonly value: Value;
}

/** A field of an object, with its name and the meaning of the name. */
export type NamedField = Found & ReturnType<typeof interpretName> & { readonly name: string };

/** Lists the fields of an object, the `self` of its `links`, and the fields of objects in it that identify the record. */
export function listFields(object: unknown, path: Path = []): NamedField[] {
  if (!isObject(object)) return [];
  const own = Object.keys(object).map((name) => {
    return Object.assign({ name, path: [...path, name], value: untag(object[name]) }, readName(name));
  });
  const isRecord = own.some(({ kinds }) => kinds.has("field") || kinds.has("part") || kinds.has("version"));
  const inner = own.flatMap(({ key, kinds, path: place, value }) => {
    if (key === "links") return listFields(value, place).filter((field) => field.key === "self");
    return isRecord && kinds.has("identity") ? listFields(value, place) : [];
  });
  return [...own, ...inner];
}

/** Reads the fields under these keys, in the order of the keys. Leaves out a field that cannot be read. */
export function readFields<Value>(fields: readonly NamedField[], keys: readonly string[], read: Read<Value>) {
  const found: Found<Value>[] = [];
  for (const key of keys)
    for (const field of fields) {
      const value = field.key === key && field.value !== null ? read(field.value) : undefined;
      if (value !== undefined) found.push({ path: field.path, value });
    }
  return found;
}

/** Reads the first field of an object under one of these keys, in their order, that can be read. */
export function pick<Value>(object: JsonObject, keys: readonly string[], read: Read<Value>): Value | undefined {
  for (const key of keys)
    for (const [name, given] of Object.entries(object)) {
      const value = readName(name).key === key ? read(untag(given)) : undefined;
      if (value !== undefined) return value;
    }
  return undefined;
}

/** Removes the type tag of a value, and parses a string that is a JSON object or array. */
export function decode(value: unknown): unknown {
  const plain = untag(value);
  return typeof plain === "string" && /^\s*[[{]/.test(plain) ? (parseExactJson(plain) ?? plain) : plain;
}

const typeTag =
  /^(?:[SNML]|SS|NS|BOOL|\$(?:oid|date|numberLong)|(?:string|integer|double|boolean|timestamp|reference|map|array)Value)$/;

/** Returns the value in an object that only names its type, as DynamoDB, Firestore and MongoDB write it: `{ "S": "text" }`. */
function untag(value: unknown): unknown {
  if (!isObject(value)) return value;
  const tags = Object.keys(value);
  const [tag = ""] = tags;
  if (tags.length !== 1 || !typeTag.test(tag)) return value;
  const inner = value[tag];
  return /^(?:map|array)Value$/.test(tag) && isObject(inner) ? (inner["fields"] ?? inner["values"]) : inner;
}

/** Reads a string, also in an object or an array of one. Of several languages it takes the string that was sent, else English, else the first. */
export function readText(value: unknown, sent?: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.length === 1 ? readText(untag(value[0]), sent) : undefined;
  if (!isObject(value)) return undefined;
  const areLanguages = Object.keys(value).every((name) => /^[a-z]{2}(?:[-_][a-z]{2})?$/i.test(name));
  const languages = areLanguages ? Object.keys(value) : [];
  const english = languages.find((name) => /^en\b/i.test(name)) ?? "";
  const texts = [english, ...languages].map((name) => value[name]);
  const text = texts.find((each) => each === sent) ?? texts.find((each) => typeof each === "string");
  return pick(value, names.text, (each) => readText(each, sent)) ?? (typeof text === "string" ? text : undefined);
}

/** Names of the parts of a call to action. */
const ctaParts = { type: ["type", "kind"], label: ["label", "text", "title"], url: ["url", "href", "link"] } as const;

/** Reads a call to action. */
export function readCta(given: unknown): JsonObject | undefined {
  const value = decode(given);
  if (Array.isArray(value) && value.length === 1) return readCta(value[0]);
  if (!isObject(value)) return undefined;
  const parts: Record<string, string> = {};
  for (const [name, keys] of Object.entries(ctaParts)) {
    const part = pick(value, keys, readText);
    if (part === undefined) return readCta(value["value"]);
    parts[name] = part;
  }
  return { ...value, ...parts };
}

/** Reads a timestamp and returns it as ISO 8601. A number is seconds or milliseconds since 1970; a time without a zone is in UTC. */
export function readTime(value: unknown): string | undefined {
  const text = String(value);
  if (/^\d{9,13}$/.test(text)) return new Date(Number(text) * (text.length < 12 ? 1000 : 1)).toISOString();
  const isLocal = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(text);
  const atMs = Date.parse(isLocal ? `${text.replace(" ", "T")}Z` : text);
  if (Number.isNaN(atMs)) return undefined;
  if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d))?$/.test(text)) return text;
  return isLocal || /^[A-Z][a-z]{2},? /.test(text) ? new Date(atMs).toISOString() : undefined;
}

/** Reads a count, also in a string or an object. */
export function readCount(value: unknown): number | undefined {
  if (isObject(value)) return readCount(value["value"]);
  const count = typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
