// What the name of a field says. Names break ties that structure leaves, and say what is not a page.

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

/** Words for people, work in progress, neighbors, files and parts of a page: what is under them is no page. */
const foreign =
  /^(?:author|user|owner|editor|creator|account|customer|client|organi[sz]ation|tenant|team|workspace|company|person|by|task|job|queue|batch|operation|transaction|request|trace|audit|log|event|parent|child|children|related|relationship|previous|prev|next|image|media|asset|picture|photo|avatar|thumbnail|icon|file|video|categor(?:y|ie)|tag|comment|webhook|workflow|error|warning|notification|notice|message|included?|deploy(?:ment)?|translation|seo|hero|block|template|receipt|session|permission|role|form|analytics|statistic)s?$/;
/** Words for a page, a list of pages, or what wraps one. */
const neutral =
  /^(?:page|landing|content|item|record|entr(?:y|ie)|doc|document|node|resource|object|data|result|response|payload|body|article|post|stor(?:y|ie)|hit|create[ds]?|insert(?:ed)?|new|added|saved?)s?$/;
/** Words for one state of a page, whose identifier is not that of the page. */
const version = /^(?:revision|version|current|latest|draft|snapshot|locale|language|variant)s?$/;
/** Names of objects with the fields of a page whose identifier stands beside them. */
const part = /^(?:attributes|fields|fielddata|properties|source|elements|spec|values|json|node|doc)$/;
/** Names of objects that say which record this is. */
const identity =
  /^(?:sys(?:tem)?|meta(?:data)?|identity|(?:page|content|item|entry)(?:link|ref|reference|key|identity))$/;
const paging = /^(?:meta|metadata|page|pages|pageinfo|paging|pagination|pageable|resultinfo|info)$/;
/** Owners of a list of pages. */
const listOwner = /^(?:account|customer|organi[sz]ation|tenant|team|workspace|user)$/;

/** What a name says, however it is spelled: `meta_description`, `metaDescription` and `Meta-Description` say the same. */
export interface NameMeaning {
  /** The name in lower case, without signs between words. */
  readonly key: string;
  readonly words: readonly string[];
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
}

/** A name in lower case, without signs between words. */
export function keyOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

/** Tells what a field's name says about its value. */
export function readName(name: string): NameMeaning {
  const spaced = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, " ").toLowerCase();
  const words = spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const key = words.join("");
  const hasWord = (pattern: RegExp) => words.some((word) => pattern.test(word));
  return {
    key,
    words,
    isForeign: hasWord(foreign),
    isNeutral: hasWord(neutral) && !/\d/.test(key),
    isVersion: hasWord(version),
    isPart: part.test(key),
    isIdentity: identity.test(key),
    isList: names.list.includes(key),
    isPaging: paging.test(key),
    isListOwner: listOwner.test(key),
    isField: textFields.some((field) => names[field].includes(key)),
  };
}

/** Whether a step of a path is the name of a page, of what wraps one, or a position. */
export function isOuterStep(step: string): boolean {
  return isPosition(step) || readName(step).isNeutral;
}

/** Whether a step of a path may lead from a page to what holds its fields. */
export function isStep(step: string): boolean {
  const { isPart, isVersion } = readName(step);
  return isPart || isVersion || isOuterStep(step);
}

/** Whether a step of a path is the index of an array. */
export function isPosition(step: string): boolean {
  return /^\d+$/.test(step);
}
