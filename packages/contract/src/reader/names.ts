// What things are called in answers that nobody described: the keys of members, and how a name is read by the tables of words.
import { inner, list, type Sense, words } from "./words.ts";

/** Keys of members, the surest first. A key is a name without case and separators. */
export const keys = {
  title: list("title pagetitle"),
  content: list("content pagecontent"),
  slug: list("slug pageslug"),
  meta_description: list("metadescription pagemetadescription"),
  cta: list("cta calltoaction pagecta"),
  /** A flag of the same name (`created: true`) is no moment, and is told by its value. */
  created_at: list(
    "createdat created createdon createdate createddate createdtime createdts createtime creationdate creationtime datecreated timecreated insertedat " +
      "dateadded addedat createdatutc createddatetime ctime",
  ),
  updated_at: list(
    "updatedat updated updatedon updatedate updateddate updatedtime updatedts updatetime dateupdated timeupdated modifiedat modified modifiedon " +
      "modifieddate datemodified lastmodified lastmodifiedat lastmodifieddate lastmodifieddatetime lastupdated lastupdatedat lastedited lasteditedtime " +
      "changedat updatedatutc mtime",
  ),
  domains: list("domains"),
  /** An identifier: a documented one beats what databases call it. */
  id: list(
    "id documentid pageid landingpageid contentid uuid guid uid gid ulid sid pk oid nid identifier objectid entryid itemid recordid controlnumber " +
      "recordnumber documentnumber kennung identifiant identificador identifikator",
  ),
  /** What a record has instead of an identifier, where it has no other. */
  weakId: list("key ref reference handle"),
  /** The thing itself: a bare value there can only be its identifier. */
  thing: list("page landingpage document entry item record"),
  /** What stands in the object that an identifier, a moment or a text is written as, such as `{ "$oid": … }`; of a text what was written comes first. */
  innerId: list("oid s n value uuid id stringvalue integervalue numberlong raw text ref 0"),
  innerTime: list("seconds date iso value time timestamp timestampvalue numberlong datetime n s utc"),
  innerText: list("raw value text t plaintext stringvalue s source content markdown rendered html plain default name"),
  /** What inside a record holds its identifier, and what its moments. */
  inner: list(inner),
  moments: list(`${inner} timestamps audit dates history`),
  /** A link to the thing itself, and what links are in. */
  self: list(
    "self selflink selfurl href uri resourceuri resourceurl location url apiurl link id odataid editlink name resource ref path",
  ),
  links: list("links link metadata meta sys actions"),
  /** The kind of a thing, as it says itself. */
  kind: list("object type kind typename resourcetype entity"),
  language: list("defaultlocale defaultlanguage primarylocale locale language lang"),
  ctaType: list("type kind"),
  ctaLabel: list("label text title caption"),
  ctaUrl: list("url href link target"),
  /** The parts that a domain is written in. */
  domainName: list("name domain host hostname fqdn domainname site value label title"),
  domainUrl: list("url href link publicurl pageurl permalink fullurl address uri location web html"),
  domainPath: list("path pathname urlpath pagepath route uri"),
  scheme: list("scheme protocol"),
  /** A list, the likeliest first. */
  list: list(
    "data items results pages landingpages content contents records rows entries objects documents docs hits value values list nodes edges elements " +
      "collection resources articles posts members hydramember array",
  ),
  /** The number of all pages; then the same, or how many are in this answer. */
  total: list(
    "total totalcount totalsize totalresultssize totalitems totalresults totalelements totalhits totalrecords totaldocs totalrows totalentries numfound " +
      "opensearchtotalresults odatacount estimatedtotalhits filtercount recordstotal fullcount nbhits available allcount",
  ),
  count: list("itemcount recordcount resultcount count quantity length"),
  /** What is around a list and tells of its length. */
  paging: list(
    "meta pagination paging pagingmetadata page pageinfo metadata pager info counts summary cursor total count hits d response data result",
  ),
} as const;

/** The documented fields that are texts. */
export const texts = ["title", "content", "slug", "meta_description"] as const;
/** The documented fields that a caller sends. */
export const fields = [...texts, "cta"] as const;

/** Makes a judgement of a name that is made once: names repeat from record to record. A hostile answer can hold any number of them. */
export function judge<Judgement>(decide: (name: string) => Judgement): (name: string) => Judgement {
  const known = new Map<string, Judgement>();
  return (name) => {
    const made = known.get(name);
    if (made !== undefined || known.has(name)) return made as Judgement; // why: `has` says that it is one
    const judgement = decide(name);
    if (known.size < 2000 && name.length < 100) known.set(name, judgement);
    return judgement;
  };
}

/** Cuts a name into lower-case words: `lastInsertId`, `last_insert_id` and `Last-Insert-ID` are all the same three. */
export const wordsOf: (name: string) => readonly string[] = judge((name) =>
  name
    .slice(0, 100)
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== ""),
);

/** Writes a name without case and separators, so that `metaDescription` and `Meta-Description` are `metadescription`. */
export const keyOf: (name: string) => string = judge((name) => wordsOf(name).join(""));

/** Whether a word, or what it is the plural of, is in a table. */
export function isIn(words: ReadonlySet<string>, word: string): boolean {
  return singulars(word).some((one) => words.has(one));
}

function singulars(word: string): readonly string[] {
  return word.endsWith("s") ? [word, word.slice(0, -1), word.replace(/ies$/, "y")] : [word];
}

const sensesByWord = new Map<string, Set<Sense>>();
const senses = Object.keys(words) as Sense[]; // why: those are its keys
for (const sense of senses)
  for (const word of words[sense]) sensesByWord.set(word, (sensesByWord.get(word) ?? new Set()).add(sense));

/** What a word, or what it is the plural of, says. */
export const sensesOf: (word: string) => ReadonlySet<Sense> = judge(
  (word) => new Set(singulars(word).flatMap((one) => Array.from(sensesByWord.get(one) ?? []))),
);

/** Tells what a name says. This is the one place where names are looked up. */
export const readName = judge((name: string) => {
  const all = wordsOf(name);
  const senses = all.map(sensesOf);
  const is = senses.at(-1) ?? new Set<Sense>();
  const says = (...asked: readonly Sense[]) => senses.some((each) => asked.some((sense) => each.has(sense)));
  const saysOnly = (...asked: readonly Sense[]) => senses.every((each) => asked.some((sense) => each.has(sense)));
  // Whoever did it: `createdBy`.
  const isPerson = /^(?:by|who)$/.test(all.at(-1) ?? "");
  const isForeign = (says("foreign") && !is.has("page")) || says("relative") || isPerson;
  return {
    /** Whether any word of it says one of these. */
    says,
    /** Whether no word of it says anything but these. */
    saysOnly,
    /** Whether it is that of another thing than the page: its author, the request, a page related to it. */
    isForeign,
    /** Whether fields of the page may be in what it names: they may be those of its present version. */
    isEntered: !isForeign || words.version.has(all.at(-1) ?? ""),
    /** Whether it is that of links, or plainly that of domains. */
    areLinks: /^_?links$/i.test(name),
    areDomains: /^domains?$/i.test(name),
    /** Whether every word of it is one for a page, or for what may be around it. */
    isNeutral: /^\d+$/.test(name) || (all.length > 0 && !isPerson && saysOnly("page", "neutral", "id")),
    /** Whether it is that of an identifier of the page: `insertedId`, `landing_page_ids`, and `id_pagina` in other languages. */
    isPageId: isPageIdName(all),
    /** How surely it speaks of the page's public address, 0 the surest; `undefined` when it does not. */
    domainRank: rankDomain(all),
  };
});

function isPageIdName(all: readonly string[]): boolean {
  const [first = "", last = ""] = [all[0], all.at(-1)];
  const isEnd = /^(?:id|uid|uuid|guid|ulid|oid|rowid|key|identifier)s?$/.test(last);
  const rest = isEnd ? all.slice(0, -1) : /^(?:id|uuid|guid)s?$/.test(first) ? all.slice(1) : undefined;
  // A publisher's prefix before one of our words: `lps_contentid`.
  if (/^(?:landing)?(?:page|content)id$/.test(last)) return !readsAside(all.slice(0, -1));
  const isAny = rest !== undefined && (rest.length > 0 || !last.startsWith("key"));
  return isAny && rest.every((word) => sensesOf(word).has("id"));
}

const asideSenses: readonly Sense[] = ["foreign", "relative", "embedded", "version"];

function readsAside(all: readonly string[]): boolean {
  return all.some((word) => asideSenses.some((sense) => sensesOf(word).has(sense)));
}

function rankDomain(words: readonly string[]): number | undefined {
  const all = words.filter((word) => !/^(?:names?|on|at)$/.test(word));
  const senses = all.map(sensesOf);
  const says = (sense: Sense) => senses.some((each) => each.has(sense));
  if (says("notPublic")) return undefined;
  // Any domain of a page is its own, if by a word we do not know, behind what says so in words we do; a host of another kind,
  // for files or for mail, is another one. A URL that says of itself what it is, in such a word, is that of a licence, an editor.
  const known: readonly Sense[] = ["url", "domain", "public", "page", "neutral"];
  if (!senses.every((each) => known.some((sense) => each.has(sense))))
    return all.some((word) => /^domains?$/.test(word)) ? 4 : undefined;
  if (says("domain")) return says("url") ? 2 : 0;
  // Where the page is may be told without a noun: `published_on`.
  if (!says("url")) return /^(?:on|at)$/.test(words.at(-1) ?? "") ? 2 : undefined;
  return all.includes("public") ? 1 : says("public") ? 2 : 3;
}

const documentedKeys: ReadonlySet<string> = new Set(fields.flatMap((field) => keys[field]));

/** Whether a name is that of a documented field of a page. */
export function isDocumented(name: unknown): name is string {
  return typeof name === "string" && documentedKeys.has(keyOf(name));
}

/** Whether the kind that a thing says it is, in a few words, is that of another thing than a page. */
export function saysForeign(kind: string): boolean {
  const head = wordsOf(kind).at(-1) ?? "";
  const isOther = sensesOf(head).has("foreign") && !/^(?:link|site|website|message|column|product)s?$/.test(head);
  return isOther && kind.length < 60 && wordsOf(kind).length <= 3;
}
