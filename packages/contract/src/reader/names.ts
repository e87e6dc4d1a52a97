// What things are called in answers that nobody described: tables of words and keys, what each is for, and how a name is read by them.

/** The words of a text, in its order. */
const list = (text: string): readonly string[] => text.trim().split(/\s+/);
/** The words of a text, to look them up. */
export const table = (text: string): ReadonlySet<string> => new Set(list(text));

/** Names of what is inside a record and holds its identifier and its moments. */
const inner = "sys meta metadata system identity identifiers attributes";

/** Words by what they say of the thing that they name. */
const words = {
  /** The thing itself. */
  page: table(
    "page landing content document doc entry item record resource object node post article entity element row",
  ),
  /** What may stand before `id` in the name of a page's identifier: what it is, that it is new, that it is a number; also in other languages. */
  id: table(
    "page landing content document doc entry item record resource object node post article entity row public unique " +
      "new created inserted insert generated last upserted added saved sys system " +
      "landingpage lp seite seiten pagina sida sivu sayfa strona oldal stranka stranica halaman trang " +
      "inhalt beitrag eintrag contenido contenu contenuto conteudo inhoud fiche datensatz str lng int fld num n",
  ),
  /** What may be around a thing: nothing in them says that it is another one. */
  neutral: table(
    "data result response reply payload body attribute field property prop value output returned d obj model instance source " +
      "info current after new created inserted added updated saved changed embedded view single one create insert add save put " +
      "update patch upsert into by pk collection mutation returning detail the my all list many success ok changes set hit",
  ),
  /** Other things than pages: an identifier or a list of those is worse than none. */
  foreign: table(
    "task job operation op transaction txn trx request req trace span correlation event audit log account acct user author " +
      "owner creator editor publisher customer client organization organisation org company team tenant workspace project session token " +
      "app application api domain host template layout theme category tag topic taxonomy term menu image img picture " +
      "photo media asset file attachment thumbnail avatar icon logo cover banner poster video revision version history batch " +
      "queue process workflow message notification webhook error warning problem issue notice violation comment review rating " +
      "link include included relationship permission role group plan subscription billing invoice order payment product " +
      "variant currency language locale translation localization setting config option filter facet aggregation bucket " +
      "suggestion sort column header pagination paging pager cursor query param parameter input debug profile stat analytics " +
      "metric diff lock site website store shop blog newsletter campaign environment env cluster shard server region receipt " +
      "ticket ack key secret sender member person action breadcrumb announcement widget schema definition",
  ),
  /** Another page. */
  relative: table(
    "related similar recommended recommendation popular featured suggested parent next prev previous original old before deleted " +
      "removed linked child children sub ancestor sibling example sample default first last translated alternate",
  ),
  /** What is in a page, or about a part of it: a title or an identifier of that is not the page's. */
  embedded: table(
    "seo meta section block hero widget slide step card brand folder popup modal faq headline label placeholder caption class " +
      "color style size length format alt short nav promo teaser testimonial quote footer feature",
  ),
  /** The part of a record that holds its fields, apart from its identifier. */
  split: table("attribute field property prop source doc node content value document record spec"),
  /** What is inside a record and holds its identifier and its moments, or its address. */
  inner: table(`${inner} routing delivery deployment hosting`),
  /** A state of the page: its fields are the page's, its identifier is not. */
  version: table("revision version snapshot translation localization draft edition"),
  /** A domain. */
  domain: table("domain host hostname fqdn site website placement assignment subdomain vhost alias aliases"),
  /** A URL. */
  url: table("url uri link href address location permalink canonical"),
  /** That a URL is the page's public one. */
  public: table(
    "public live custom other additional extra canonical permalink published html web page site view external landing visit frontend website production domain " +
      "full absolute ssl https secure primary main final friendly pretty status publishing publication vanity storefront assigned",
  ),
  /** That a URL or a host is not where visitors find the page: another thing's, or not the page's yet or any more. */
  notPublic: table(
    "screenshot repo repository git amp short qr embed oembed dashboard studio console manage panel suggested suggestion excluded former old available candidate blocked rejected requested allowed recommended " +
      "recommendation inactive disabled removed unassigned failed potential alternative blacklist blocklist " +
      "denylist allowlist whitelist possible fallback pending deleted banned denied forbidden ignored expired " +
      "archived past retired optional proposed proposal eligible wanted reserved obsolete deprecated cta button " +
      "external partner original sender third vendor self api image img picture photo thumbnail thumb avatar icon " +
      "logo media asset cover banner poster video author user owner account edit admin delete update callback " +
      "webhook doc help first last prev previous next upload download source referrer redirect target preview feed " +
      "schema type status monitor task job login email collection related parent template og twitter social id " +
      "count total request internal origin server proxy cdn backend key slug tracking staging draft dev sandbox " +
      "pixel file attachment hash verified version share comment reply replies term privacy support mail smtp " +
      "database cookie",
  ),
  /** Of what type a member is: `strTitle`, `objCta`, `lngId`. */
  type: table(
    "str s sz txt chr vc obj o json j lng l int i n num dbl b bln bool arr lst col dt dte dat ts fld f var v m",
  ),
} as const;

type Sense = keyof typeof words;

/** Keys of members, the surest first. A key is a name without case and separators. */
export const keys = {
  title: list("title pagetitle"),
  content: list("content pagecontent"),
  slug: list("slug pageslug"),
  meta_description: list("metadescription pagemetadescription"),
  cta: list("cta calltoaction pagecta"),
  /** A flag of the same name (`created: true`) is no moment, and is told by its value. */
  created_at: list(
    "createdat created createdon createddate createdtime createdts createtime creationdate creationtime datecreated " +
      "timecreated insertedat dateadded addedat createdatutc createddatetime ctime",
  ),
  updated_at: list(
    "updatedat updated updatedon updateddate updatedtime updatedts updatetime dateupdated timeupdated modifiedat " +
      "modified modifiedon modifieddate datemodified lastmodified lastmodifiedat lastmodifieddate lastmodifieddatetime " +
      "lastupdated lastupdatedat lastedited lasteditedtime changedat updatedatutc mtime",
  ),
  domains: list("domains"),
  /** An identifier: a documented one beats what databases call it. */
  id: list(
    "id documentid pageid landingpageid contentid uuid guid uid gid ulid sid pk oid nid identifier objectid entryid itemid recordid " +
      "kennung identifiant identificador identifikator",
  ),
  /** What a record has instead of an identifier, where it has no other. */
  weakId: list("key ref reference handle"),
  /** The thing itself: a bare value there can only be its identifier. */
  thing: list("page landingpage document entry item record"),
  /** What stands in the object that an identifier, a moment or a text is written as, such as `{ "$oid": … }`; of a text what was written comes first. */
  innerId: list("oid s n value uuid id stringvalue integervalue numberlong raw text ref 0"),
  innerTime: list("seconds date iso value time timestamp timestampvalue numberlong datetime n s utc"),
  innerText: list("raw value text plaintext stringvalue s source content markdown rendered html plain default"),
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
    "data items results pages landingpages content contents records rows entries objects documents docs hits value values " +
      "list nodes edges elements collection resources articles posts members hydramember array",
  ),
  /** The number of all pages; then the same, or how many are in this answer. */
  total: list(
    "total totalcount totalitems totalresults totalelements totalhits totalrecords totaldocs totalrows totalentries " +
      "numfound odatacount estimatedtotalhits filtercount recordstotal fullcount nbhits available allcount",
  ),
  count: list("itemcount recordcount resultcount count quantity"),
  /** What is around a list and tells of its length. */
  paging: list(
    "meta pagination paging page pageinfo metadata pager info counts summary cursor total count hits d response data result",
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
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== ""),
);

/** Writes a name without case and separators, so that `metaDescription` and `Meta-Description` are `metadescription`. */
export const keyOf: (name: string) => string = judge((name) => wordsOf(name).join(""));

/** Whether a word, or what it is the plural of, is in a table. */
export function isIn(words: ReadonlySet<string>, word: string): boolean {
  return words.has(word) || words.has(word.replace(/ies$/, "y")) || words.has(word.replace(/s$/, ""));
}

/** Whether a word says one of these. */
export function means(word: string, ...senses: readonly Sense[]): boolean {
  const said = sensesOf(word);
  return senses.some((sense) => said.has(sense));
}

const sensesOf: (word: string) => ReadonlySet<string> = judge(
  (word) => new Set(Object.entries(words).flatMap(([sense, ones]) => (isIn(ones, word) ? [sense] : []))),
);

/** Whether any word of a name says one of these. */
export function says(name: string, ...senses: readonly Sense[]): boolean {
  return wordsOf(name).some((word) => means(word, ...senses));
}

/** Whether no word of a name says anything but these. */
export function saysOnly(name: string, ...senses: readonly Sense[]): boolean {
  return wordsOf(name).every((word) => means(word, ...senses));
}

const documentedKeys: ReadonlySet<string> = new Set(fields.flatMap((field) => keys[field]));

/** Whether a name is that of a documented field of a page. */
export function isDocumented(name: unknown): name is string {
  return typeof name === "string" && documentedKeys.has(keyOf(name));
}

/** Whether a name is that of another thing than the page: its author, the request, a page related to it. */
export const isForeign: (name: string) => boolean = judge((name) => {
  const last = wordsOf(name).at(-1) ?? "";
  return (says(name, "foreign") && !means(last, "page")) || says(name, "relative");
});

/** Whether fields of the page may be inside a member: they may be those of its present version. */
export function isEntered(name: string): boolean {
  return !isForeign(name) || words.version.has(wordsOf(name).at(-1) ?? "");
}

/** Whether every word of a name is one for a page, or for what may be around it. */
export const isNeutral: (name: string) => boolean = judge(
  (name) => /^\d+$/.test(name) || (wordsOf(name).length > 0 && saysOnly(name, "page", "neutral", "id")),
);

/** Whether a name is that of an identifier of the page: `insertedId`, `landing_page_ids`, and `id_pagina` in other languages. */
export const isPageIdName: (name: string) => boolean = judge((name) => {
  const [all, first = "", last = ""] = [wordsOf(name), wordsOf(name)[0], wordsOf(name).at(-1)];
  const isEnd = /^(?:id|uid|uuid|guid|ulid|oid|rowid|key|identifier)s?$/.test(last);
  const rest = isEnd ? all.slice(0, -1) : /^(?:id|uuid|guid)s?$/.test(first) ? all.slice(1) : undefined;
  const isAny = rest !== undefined && (rest.length > 0 || !last.startsWith("key"));
  return isAny && rest.every((word) => means(word, "id"));
});

/** Whether the kind that a thing says it is, in a few words, is that of another thing than a page. */
export function saysForeign(kind: string): boolean {
  const [words, head] = [wordsOf(kind), wordsOf(kind).at(-1) ?? ""];
  const isOther = means(head, "foreign") && !/^(?:link|site|website|message|column|product)s?$/.test(head);
  return isOther && kind.length < 60 && words.length <= 3;
}
