// What names of fields suggest. They decide where structure leaves a tie, and say what is not a page.

const list = (words: string): readonly string[] => words.split(" ");

/** Names of documented fields, of identifiers, lists and counts, in lower case and without signs between words. */
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
  self: list("self selflink selfurl href location odataid uri url link"),
  text: list("raw value text stringvalue plaintext content rendered markdown html current"),
  list: list(
    "data items results result pages landingpages content contents records rows entries docs documents hits value values nodes edges list collection elements articles posts member hydramember",
  ),
  total: list(
    "total totalcount totaldocs totalrows totalitems totalresults totalelements totalrecords totalhits totalsize totalnumberofrecords numfound found recordstotal odatacount hydratotalitems count",
  ),
} as const;

/** The documented fields that are texts. */
export const textFields = ["title", "content", "slug", "meta_description"] as const;
/** A documented field that is a text. */
export type TextField = (typeof textFields)[number];

/** Words for people, work in progress, neighbors, files and parts of a page. Nothing under them is a page. */
const foreign =
  /^(?:author|user|owner|editor|creator|account|customer|client|organi[sz]ation|tenant|team|workspace|company|person|by|task|job|queue|batch|operation|transaction|request|trace|audit|log|event|parent|child|children|related|relationship|previous|prev|next|image|media|asset|picture|photo|avatar|thumbnail|icon|file|video|categor(?:y|ie)|tag|comment|webhook|workflow|error|warning|notification|notice|message|included?|deploy(?:ment)?|translation|seo|hero|block|template|receipt|session|permission|role|form|analytics|statistic)s?$/;
/** Words for a page, a list of pages, or what wraps one. */
const neutral =
  /^(?:page|landing|content|item|record|entr(?:y|ie)|doc|document|node|resource|object|data|result|response|payload|body|article|post|stor(?:y|ie)|hit|create[ds]?|insert(?:ed)?|new|added|saved?)s?$/;
/** Words for one state of a page, whose identifier is not that of the page. */
const version = /^(?:revision|version|current|latest|draft|snapshot|locale|language|variant)s?$/;
/** Names of objects that have the fields of a page, with the identifier beside them. */
const part = /^(?:attributes|fields|fielddata|properties|source|elements|spec|values|json|node|doc)$/;
/** Names of objects that say which record this is. */
const identity =
  /^(?:sys(?:tem)?|meta(?:data)?|identity|(?:page|content|item|entry)(?:link|ref|reference|key|identity))$/;
const paging = /^(?:meta|metadata|page|pages|pageinfo|paging|pagination|pageable|resultinfo|info)$/;
/** Owners of a list of pages. */
const listOwner = /^(?:account|customer|organi[sz]ation|tenant|team|workspace|user)$/;

const domainWord = /^(?:domain|host|hostname|fqdn|alias|aliase|placement)s?$/;
const siteWord = /^(?:site|website)s?$/;
const urlWord = /^(?:urls?|link|permalink|href)$/;
/** Words that may stand beside these: `primary_domain` is one of the page, `ftp_host` is not. */
const plainWord =
  /^(?:page|landing|primary|main|custom|default|assigned|host(?:ed|ing)|all|other|secondary|full|network|name|online|my)s?$/;
/** Words for a URL at which the public sees the page. */
const publicWord = /^(?:public|published|live|site|web|html|page|store|hosted|share|canonical|permalink)$/;
/** Words for another host than the page's. */
const privateWord =
  /^(?:e?mail|tracking|sender|cdn|api|preview|draft|staging|admin|edit|dashboard|builder|screenshot|blocked|allowed|suggested|rejected|competitors?|checked|stats|hits|redirect|callback|source|self|detail|documentation)$/;

/** How surely a field holds the domains of a page, by its name, the surest first. */
export const hostSources = ["named domain", "public URL", "site", "URL", "any URL"] as const;

/** What a name says, however it is spelled: `meta_description`, `metaDescription` and `Meta-Description` say the same. */
export interface NameMeaning {
  /** The name in lower case, without signs between words. */
  readonly key: string;
  readonly words: readonly string[];
  /** The index in an array. */
  readonly isPosition: boolean;
  /** Something else than the page. */
  readonly isForeign: boolean;
  /** A page, or what wraps one. */
  readonly isNeutral: boolean;
  /** One state of a page. */
  readonly isVersion: boolean;
  /** The fields of a page without its identifier. */
  readonly isPart: boolean;
  /** Which record this is. */
  readonly isIdentity: boolean;
  /** A list. */
  readonly isList: boolean;
  /** Counts of a list, or where it goes on. */
  readonly isPaging: boolean;
  readonly isListOwner: boolean;
  /** A documented text. */
  readonly isField: boolean;
  /** An identifier, or a link that may end with one. */
  readonly mayIdentify: boolean;
  /** A page, what wraps one, or a position. */
  readonly isOuter: boolean;
  /** The same, or what leads from a page to its fields. */
  readonly isStep: boolean;
  /** How the field may hold domains of a page; `undefined` where it has hosts of something else. */
  readonly hosts: (typeof hostSources)[number] | undefined;
}

/** Tells what a field's name says about its value. The records of a list have the same names, so each is looked at once. */
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
  const hasWord = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const isPosition = /^\d+$/.test(name);
  const isNeutral = hasWord(neutral) && !/\d/.test(key);
  const [isPart, isVersion] = [part.test(key), hasWord(version)];
  return {
    key,
    words,
    isPosition,
    isForeign: hasWord(foreign),
    isNeutral,
    isVersion,
    isPart,
    isIdentity: identity.test(key),
    isList: names.list.includes(key),
    isPaging: paging.test(key),
    isListOwner: listOwner.test(key),
    isField: textFields.some((field) => names[field].includes(key)),
    mayIdentify: /id$|key$/.test(key) || [...names.id, ...names.uid, ...names.self, "name", "links"].includes(key),
    isOuter: isPosition || isNeutral,
    isStep: isPosition || isNeutral || isPart || isVersion,
    hosts: hasWord(foreign) || hasWord(privateWord) ? undefined : findHostSource(words),
  };
}

function findHostSource(words: readonly string[]): NameMeaning["hosts"] {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const areKnown = words.every((word) => [domainWord, urlWord, publicWord, plainWord].some((each) => each.test(word)));
  if (has(domainWord) && areKnown) return "named domain";
  if (has(urlWord) && has(publicWord) && areKnown) return "public URL";
  if (has(siteWord) && words.length === 1) return "site";
  return has(urlWord) && words.length === 1 ? "URL" : "any URL";
}
