// Interprets the names of fields.

/** The names of each role that a field may have in a page or a list, the surest first. In lower case, without separators between words. */
const names = {
  title: "title pagetitle",
  content: "content pagecontent",
  slug: "slug pageslug",
  meta_description: "metadescription pagemetadescription",
  cta: "cta calltoaction pagecta",
  created_at: "createdat created createdon datecreated creationdate createddate createdate dateadded",
  updated_at: "updatedat updated updatedon modifiedat modified lastmodified dateupdated updateddate modifieddate",
  documentId: "documentid",
  id: "id pageid landingpageid contentid entryid itemid recordid",
  otherId: "gid pk oid nid objectid identifier controlnumber insertedid lastinsertid createdid newid",
  uid: "uuid guid uid ulid sid",
  self: "self selflink",
  selfUrl: "selfurl location odataid uri",
  href: "href",
  url: "url",
  link: "link",
  name: "name",
  host: "host hostname domain fqdn",
  label: "label",
  type: "type kind object resourcetype",
  progress: "status state done operation",
  text: "raw value text stringvalue plaintext rendered markdown html current",
  total:
    "total totalcount totaldocs totalrows totalitems totalresults totalelements totalrecords totalhits totalsize totalnumberofrecords numfound found recordstotal odatacount hydratotalitems count",
  limit: "limit",
  offset: "offset",
} as const;

/** A role of a field. */
export type Role = keyof typeof names;

const roles = new Map(
  Object.entries(names).flatMap(
    ([role, keys]) => keys.split(" ").map((key, rank) => [key, { role: role as Role, rank }]), // why: it is a key of the table
  ),
);

/** The documented fields that are strings. */
export const textFields = ["title", "content", "slug", "meta_description"] as const;

/** The documented fields that show that an object is a page. */
export const shownFields = [...textFields, "cta"] as const;

/** The documented fields of a page that more than one name may have. */
export const pageFieldNames = [...shownFields, "created_at", "updated_at"] as const;

/** A documented field that more than one name may have. */
export type PageFieldName = (typeof pageFieldNames)[number];

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
} as const;

/** Kinds of names. */
export type NameKind = "field" | keyof typeof kindsOfWords | keyof typeof kindsOfNames;

const domainWord = /^(?:domain|host|hostname|fqdn|alias|aliase|placement)s?$/;
const urlWord = /^(?:ur[il]s?|link|permalink|href)$/;
/** Words for a URL at which the public sees the page. */
const publicWord = /^(?:public|published|live|site|page|store|hosted|share|canonical|permalink)$/;
/** Words for a URL that may be that of an editor. */
const vagueWord = /^(?:web|html)$/;
/** Words that may accompany these: `primary_domain` is a domain of the page, `ftp_host` is not. */
const plainWord =
  /^(?:page|landing|primary|main|custom|default|assigned|host(?:ed|ing)|secondary|full|name|online|my)s?$/;
const isHostWord = (word: string): boolean =>
  [domainWord, urlWord, publicWord, vagueWord, plainWord].some((each) => each.test(word));

/** Whether a name has one of these kinds. */
export const isNamed = (name: string, ...kinds: readonly NameKind[]): boolean =>
  kinds.some((kind) => readName(name).kinds.has(kind));

/** Whether all steps of a path have one of these kinds. */
export const areNamed = (path: readonly string[], ...kinds: readonly NameKind[]): boolean =>
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
  const { role, rank = 0 } = roles.get(key) ?? {};
  if (shownFields.some((field) => field === role)) kinds.add("field");
  // Inside `domains`, a name that says more than this may be that of domains of other pages.
  const isPlain = words.every((word) => word === "id" || isHostWord(word));
  const holdsHosts = isPlain || kinds.has("list") || kinds.has("part");
  return { name, key, role, rank, kinds, hosts: rankHosts(words), holdsHosts };
}

/** How surely a name is that of the domains of a page: 0 for a domain, 1 for a public URL, 2 for another URL; -1 for any other name. */
function rankHosts(words: readonly string[]): number {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (!words.every(isHostWord)) return -1;
  if (has(domainWord)) return 0;
  if (has(urlWord) && has(publicWord)) return 1;
  return has(urlWord) && words.every((word) => urlWord.test(word) || vagueWord.test(word)) ? 2 : -1;
}
