// Interprets the names of fields.

/**
 * The names of each role that a field may have in a page or a list, the surest first. In lower case, without separators between words. Any
 * other name is a role of its own.
 */
const names = {
  title: "title pagetitle",
  content: "content pagecontent",
  slug: "slug pageslug",
  meta_description: "metadescription pagemetadescription",
  cta: "cta calltoaction pagecta",
  created_at: "createdat created createdon datecreated creationdate createddate createdate dateadded",
  updated_at: "updatedat updated updatedon modifiedat modified lastmodified dateupdated updateddate modifieddate",
  id: "id pageid landingpageid contentid entryid itemid recordid",
  otherId: "gid pk oid nid objectid identifier controlnumber insertedid lastinsertid createdid newid",
  uid: "uuid guid uid ulid sid",
  self: "self selflink",
  link: "selfurl location odataid uri href url link",
  host: "host hostname domain fqdn",
  type: "type kind object resourcetype",
  progressState: "status state done operation",
  text: "raw value text stringvalue plaintext rendered markdown html current",
  total:
    "total totalcount totaldocs totalrows totalitems totalresults totalelements totalrecords totalhits totalsize totalnumberofrecords numfound found recordstotal odatacount hydratotalitems count",
};

const roles = new Map(
  Object.entries(names).flatMap(([role, keys]) => keys.split(" ").map((key, rank) => [key, { role, rank }])),
);

/** The documented fields that show that an object is a page. */
export const shownFields = ["title", "content", "slug", "meta_description", "cta"] as const;

/** The documented fields of a page that more than one name may have. */
export const pageFieldNames = [...shownFields, "created_at", "updated_at"] as const;

/** A documented field that more than one name may have. */
export type PageFieldName = (typeof pageFieldNames)[number];

/** The names of each kind, in lower case, with a space between words. */
const kindsOfNames = {
  /** People, work in progress, neighbors, files and parts of a page. Nothing under them is a page. */
  foreign:
    /(?:^| )(?:author|user|owner|editor|creator|account|customer|client|organi[sz]ation|tenant|team|workspace|company|person|by|task|job|queue|batch|operation|transaction|request|trace|audit|log|event|parent|child|children|related|relationship|previous|prev|next|image|media|asset|picture|photo|avatar|thumbnail|icon|file|video|categor(?:y|ie)|tag|comment|webhook|workflow|error|warning|notification|notice|message|included?|deploy(?:ment)?|translation|seo|cta|hero|block|template|receipt|session|permission|role|form|analytics|statistic|link|action)s?(?: |$)/,
  /** A page, a list of pages, or a wrapper of one. */
  neutral:
    /(?:^| )(?:page|landing|content|item|record|entr(?:y|ie)|doc|document|node|resource|object|data|result|response|payload|body|article|post|stor(?:y|ie)|hit|create[ds]?|insert(?:ed)?|new|added|saved?)s?(?: |$)/,
  /** One state of a page, whose identifier is not that of the page. */
  version: /(?:^| )(?:revision|version|current|latest|draft|snapshot|locale|language|variant)s?(?: |$)/,
  /** The fields of a page, with the identifier beside them. */
  part: /^(?:attributes|fields|field ?data|properties|source|elements|spec|values|json|node|doc)$/,
  /** Objects that identify the record. */
  identity: /^(?:sys(?:tem)?|meta(?:data)?|identity|(?:page|content|item|entry) ?(?:link|ref|reference|key|identity))$/,
  /** Counts of a list, or links to its other parts. */
  paging: /^(?:meta|metadata|page|pages|page ?info|paging|pagination|pageable|result ?info|info)$/,
  /** A list of pages. */
  list: /^(?:data|items|results?|pages|landing ?pages|contents?|records|rows|entries|docs|documents|hits|values?|nodes|edges|list|collection|elements|articles|posts|(?:hydra )?member)$/,
  /** The index in an array. */
  position: /^\d+$/,
} as const;

/** Kinds of names. */
export type NameKind = "field" | keyof typeof kindsOfNames;

const domainWord = /^(?:domain|host|hostname|fqdn|alias|aliase|placement)s?$/;
const urlWord = /^(?:ur[il]s?|link|permalink|href)$/;
/** Words that may accompany these: `primary_domain` is a domain of the page, `ftp_host` is not. */
const plainWord =
  /^(?:page|landing|primary|main|custom|default|assigned|host(?:ed|ing)|secondary|full|name|online|my|public|published|live|site|store|share|canonical|web|html|id)s?$/;

/** The meaning of a name. */
export type Name = ReturnType<typeof interpretName>;

/** Whether a name has one of these kinds. */
export const isNamed = (name: string, ...kinds: readonly NameKind[]): boolean =>
  kinds.some((kind) => readName(name).kinds.has(kind));

/** Whether all steps of a path have one of these kinds. */
export const areNamed = (path: readonly string[], ...kinds: readonly NameKind[]): boolean =>
  path.every((step) => isNamed(step, ...kinds));

/** Interprets the name of a field. The records of a list have the same names, so each is interpreted once. */
export function readName(name: string): Name {
  const known = meanings.get(name);
  if (known !== undefined) return known;
  if (meanings.size >= mostMeanings) meanings.clear();
  const meaning = interpretName(name);
  meanings.set(name, meaning);
  return meaning;
}

const meanings = new Map<string, Name>();
const mostMeanings = 1000;

/**
 * Finds the meaning of a name in any spelling: `meta_description`, `metaDescription` and `Meta-Description` mean the same. Its `key` is in
 * lower case, without separators between words. `hosts` is 0 for the name of a domain of the page, 1 for that of a URL, -1 for any other.
 */
function interpretName(name: string) {
  const spaced = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, " ").toLowerCase();
  const words = spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const key = words.join("");
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const found = Object.entries(kindsOfNames).filter(([, pattern]) => pattern.test(words.join(" ")));
  const kinds = new Set(found.map(([kind]) => kind as NameKind)); // why: it is a key of the table
  const { role, rank } = roles.get(key) ?? { role: key, rank: 0 };
  if (shownFields.some((field) => field === role)) kinds.add("field");
  // Inside `domains`, a name that says more than this may be that of domains of other pages.
  const isPlain = words.every((word) => [domainWord, urlWord, plainWord].some((pattern) => pattern.test(word)));
  const hosts = !isPlain ? -1 : has(domainWord) ? 0 : has(urlWord) ? 1 : -1;
  return { name, key, role, rank, kinds, hosts, holdsHosts: isPlain || kinds.has("list") || kinds.has("part") };
}
