// Interprets names of fields. They break ties of structure, and exclude objects that are not a page.

const list = (words: string): readonly string[] => words.split(" ");

/** Names of documented fields, of identifiers, lists and counts, in lower case and without separators between words. */
export const names = {
  title: list("title pagetitle"),
  content: list("content pagecontent"),
  slug: list("slug pageslug"),
  meta_description: list("metadescription pagemetadescription"),
  cta: list("cta calltoaction pagecta"),
  created_at: list("createdat created createdon datecreated creationdate createddate createdate dateadded"),
  updated_at: list(
    "updatedat updated updatedon modifiedat modified lastmodified dateupdated updateddate updatedate modifieddate",
  ),
  // `documentId` comes first because the `id` beside it is the number of one version.
  id: list(
    "documentid id pageid landingpageid contentid entryid itemid recordid gid pk oid nid objectid identifier controlnumber insertedid lastinsertid createdid newid",
  ),
  uid: list("uuid guid uid ulid sid"),
  self: list("self selflink selfurl href location odataid uri url link linksself"),
  text: list("raw value text stringvalue plaintext content rendered markdown html current"),
  list: list(
    "data items results result pages landingpages content contents records rows entries docs documents hits value values nodes edges list collection elements articles posts member hydramember",
  ),
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
    /^(?:author|user|owner|editor|creator|account|customer|client|organi[sz]ation|tenant|team|workspace|company|person|by|task|job|queue|batch|operation|transaction|request|trace|audit|log|event|parent|child|children|related|relationship|previous|prev|next|image|media|asset|picture|photo|avatar|thumbnail|icon|file|video|categor(?:y|ie)|tag|comment|webhook|workflow|error|warning|notification|notice|message|included?|deploy(?:ment)?|translation|seo|hero|block|template|receipt|session|permission|role|form|analytics|statistic)s?$/,
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
  /** Owners of a list of pages. */
  listOwner: /^(?:account|customer|organi[sz]ation|tenant|team|workspace|user)$/,
  list: new RegExp(`^(?:${names.list.join("|")})$`),
  /** A documented field. */
  field: new RegExp(`^(?:${[...textFields, "cta" as const].flatMap((field) => names[field]).join("|")})$`),
} as const;

/** Kinds of names; `position` is the index in an array. */
export type NameKind = keyof typeof kindsOfWords | keyof typeof kindsOfNames | "position";

const domainWord = /^(?:domain|host|hostname|fqdn|alias|aliase|placement)s?$/;
const urlWord = /^(?:urls?|link|permalink|href)$/;
/** Words for a URL at which the public sees the page. */
const publicWord = /^(?:public|published|live|site|web|html|page|store|hosted|share|canonical|permalink)$/;
/** Words that may accompany these: `primary_domain` is a domain of the page, `ftp_host` is not. */
const plainWord =
  /^(?:page|landing|primary|main|custom|default|assigned|host(?:ed|ing)|all|other|secondary|full|network|name|online|my)s?$/;
/** Words for hosts other than the page's. */
const privateWord =
  /^(?:e?mail|tracking|sender|cdn|api|preview|draft|staging|admin|edit|dashboard|builder|screenshot|blocked|allowed|suggested|rejected|competitors?|checked|stats|hits|redirect|callback|source|self|detail|documentation)$/;

/** Kinds of fields that may contain the domains of a page, the surest first. */
export const hostSources = ["named domain", "public URL", "site", "URL", "any URL"] as const;

/** The meaning of a name, in any spelling: `meta_description`, `metaDescription` and `Meta-Description` mean the same. */
export interface NameMeaning {
  /** The name in lower case, without separators between words. */
  readonly key: string;
  /** Every `NameKind` of the name. */
  readonly kinds: ReadonlySet<string>;
  /** The kind of field for domains of a page; `undefined` if the field has none. */
  readonly hosts: (typeof hostSources)[number] | undefined;
}

/** Whether a name has one of these kinds. */
export function isNamed(name: string, ...kinds: readonly NameKind[]): boolean {
  const own = readName(name).kinds;
  for (const kind of kinds) if (own.has(kind)) return true;
  return false;
}

/** Whether all steps of a path have one of these kinds. */
export function areNamed(path: readonly string[], ...kinds: readonly NameKind[]): boolean {
  for (const step of path) if (!isNamed(step, ...kinds)) return false;
  return true;
}

/** Interprets the name of a field. The records of a list have the same names, so each is interpreted once. */
export function readName(name: string): NameMeaning {
  const known = meanings.get(name);
  if (known !== undefined) return known;
  if (meanings.size >= mostMeanings) meanings.clear();
  const meaning = interpretName(name);
  meanings.set(name, meaning);
  return meaning;
}

const meanings = new Map<string, NameMeaning>();
const mostMeanings = 1000;

function interpretName(name: string): NameMeaning {
  const spaced = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, " ").toLowerCase();
  const words = spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const key = words.join("");
  const ofWords = Object.entries(kindsOfWords).filter(([, pattern]) => words.some((word) => pattern.test(word)));
  const ofName = Object.entries(kindsOfNames).filter(([, pattern]) => pattern.test(key));
  const kinds = new Set<string>([...ofWords, ...ofName].map(([kind]) => kind));
  if (/^\d+$/.test(name)) kinds.add("position");
  if (/\d/.test(key)) kinds.delete("neutral");
  const isPrivate = kinds.has("foreign") || words.some((word) => privateWord.test(word));
  return { key, kinds, hosts: isPrivate ? undefined : findHostSource(words) };
}

function findHostSource(words: readonly string[]): NameMeaning["hosts"] {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const areKnown = words.every((word) => [domainWord, urlWord, publicWord, plainWord].some((each) => each.test(word)));
  if (has(domainWord) && areKnown) return "named domain";
  if (has(urlWord) && has(publicWord) && areKnown) return "public URL";
  if (words.length !== 1) return "any URL";
  return has(/^(?:site|website)s?$/) ? "site" : has(urlWord) ? "URL" : "any URL";
}
