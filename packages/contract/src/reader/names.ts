// What things are called in answers that nobody described: tables of words and keys, with what each is for.

/** The words of a text, in its order. */
const list = (text: string): readonly string[] => text.trim().split(/\s+/);
/** The words of a text, to look them up. */
export const table = (text: string): ReadonlySet<string> => new Set(list(text));

/** Keys under which each documented field comes: its own name in any spelling, or as part of a flat prefix. */
export const fieldKeys = {
  title: list("title pagetitle"),
  content: list("content pagecontent"),
  slug: list("slug pageslug"),
  meta_description: list("metadescription pagemetadescription"),
  cta: list("cta calltoaction pagecta"),
} as const;

/** Names that an object too large to be looked through is asked for. */
export const plainNames = list(
  "id _id title content slug meta_description cta domains created_at updated_at data items results pages content total " +
    "limit offset error errors message detail",
);

/** Keys of the members of a `cta`, documented ones first. */
export const ctaKeys = {
  type: list("type kind"),
  label: list("label text title caption"),
  url: list("url href link target"),
} as const;

/** Keys of the same where they stand in the record itself: `cta_url`, `ctaLabel`. */
export const flatCtaKeys = {
  type: ctaKeys.type.map((key) => `cta${key}`),
  label: ctaKeys.label.map((key) => `cta${key}`),
  url: ctaKeys.url.map((key) => `cta${key}`),
} as const;

/** Keys of the two moments. A flag of the same name (`created: true`) is no moment, and is told by its value. */
export const timeKeys = {
  created_at: list(
    "createdat created createdon createddate createdtime createdts createtime creationdate creationtime datecreated " +
      "timecreated insertedat dateadded addedat createdatutc createddatetime ctime",
  ),
  updated_at: list(
    "updatedat updated updatedon updateddate updatedtime updatedts updatetime dateupdated timeupdated modifiedat " +
      "modified modifiedon modifieddate datemodified lastmodified lastmodifiedat lastmodifieddate lastmodifieddatetime " +
      "lastupdated lastupdatedat lastedited lasteditedtime changedat updatedatutc mtime",
  ),
} as const;

/** Keys of an identifier, the surest first. `_key` and `_id` are documents' own, the last ones are what databases call it. */
export const idKeys = list(
  "id documentid pageid landingpageid contentid uuid guid uid gid ulid sid pk oid nid identifier objectid entryid itemid recordid " +
    "kennung identifiant identificador identifikator",
);

/** Keys of what a record has instead of an identifier, where it has no other. */
export const weakIdKeys = table("key ref reference handle");

/** Words that may stand before `id` in the name of a page's identifier: what it is, or that it has just come to be. */
export const idWords = table(
  "page landing content document doc entry item record resource object node post article entity row public unique " +
    "new created inserted insert generated last upserted added saved sys system " +
    // Other words for a page, and what says no more than that it is a number or a text.
    "landingpage lp seite seiten pagina sida sivu sayfa strona oldal stranka stranica halaman trang " +
    "inhalt beitrag eintrag contenido contenu contenuto conteudo inhoud fiche datensatz str lng int fld num n",
);

/** Prefixes that say of what type a member is: `strTitle`, `objCta`, `lngId`. */
export const typePrefixes = table(
  "str s sz txt chr vc obj o json j lng l int i n num dbl b bln bool arr lst col dt dte dat ts fld f var v m",
);

/** Words for what is in a page, or about a part of it: a title or an identifier of that is not the page's. */
export const embeddedWords = table(
  "seo meta section block hero widget slide step card brand folder popup modal faq headline label placeholder caption class " +
    "color style size length format alt short nav promo teaser testimonial quote footer feature",
);

/** Objects inside a record that hold its identifier and its moments. */
export const innerKeys = table("sys meta metadata system identity identifiers attributes");
/** Those, and what holds its moments only. */
export const momentKeys: ReadonlySet<string> = new Set([...innerKeys, ...list("timestamps audit dates history")]);

/** Names of the part of a record that holds its fields, apart from its identifier. */
export const splitWords = table("attribute field property prop source doc node content value document record spec");

/** Words for a state of the page: its fields are the page's, its identifier is not. */
export const versionWords = table("revision version snapshot translation localization draft edition");

/** Words for the thing itself. */
export const pageWords = table(
  "page landing content document doc entry item record resource object node post article entity element row",
);

/** Names of the thing itself under which nothing but its identifier can stand, where that is a bare value. */
export const thingKeys = table("page landingpage document entry item record");

/** Words for what may be around a thing: nothing in them says that it is another one. */
export const neutralWords = table(
  "data result response reply payload body attribute field property prop value output returned d obj model instance source " +
    "info current after new created inserted added updated saved changed embedded view single one create insert add save put " +
    "update patch upsert into by pk collection mutation returning detail the my all list many success ok changes set hit",
);

/** Names under which lists come, the likeliest first. */
export const listKeys = list(
  "data items results pages landingpages content contents records rows entries objects documents docs hits value values " +
    "list nodes edges elements collection resources articles posts members hydramember array",
);

/** Words for other things than pages: an identifier or a list of those is worse than none. */
export const foreignWords = table(
  "task job operation op transaction txn trx request req trace span correlation event audit log account acct user author " +
    "owner creator editor customer client organization organisation org company team tenant workspace project session token " +
    "app application api domain host network template layout theme category tag topic taxonomy term menu image img picture " +
    "photo media asset file attachment thumbnail avatar icon logo cover banner poster video revision version history batch " +
    "queue process workflow message notification webhook error warning problem issue notice violation comment review rating " +
    "link include included relationship permission role group plan subscription billing invoice order payment product " +
    "variant currency language locale translation localization setting config option filter facet aggregation bucket " +
    "suggestion sort column header pagination paging pager cursor query param parameter input debug profile stat analytics " +
    "metric diff lock site website store shop blog newsletter campaign environment env cluster shard server region receipt " +
    "ticket ack key secret sender member person action breadcrumb announcement widget schema definition",
);

/** Words that make another page of a page. */
export const relativeWords = table(
  "related similar recommended recommendation popular featured suggested parent next prev previous original old before deleted " +
    "removed linked child children sub ancestor sibling example sample default first last translated alternate",
);

/** Words of a domain in a name. */
export const domainWords = table(
  "domain host hostname fqdn site website placement assignment subdomain vhost alias aliases",
);
/** Words of a URL in a name. */
export const urlWords = table("url uri link href address location permalink canonical");
/** Words that make a URL the page's public one. */
export const publicWords = table(
  "public live canonical permalink published html web page site view external landing visit frontend website production domain " +
    "full absolute ssl https secure primary main final friendly pretty status publishing publication vanity storefront assigned",
);

/** Words that say that a URL or a host is not where visitors find the page. */
export const notPublicWords = table(
  "cta button external partner original sender third vendor self api image img picture photo thumbnail thumb avatar icon logo media asset cover banner poster video author user owner " +
    "account cta edit admin delete update callback webhook doc help first last prev previous next upload download source " +
    "referrer redirect target preview feed schema type status monitor task job login email collection related parent " +
    "template og twitter social id count total request api internal origin server proxy cdn backend key slug tracking " +
    "staging draft dev sandbox pixel file attachment hash verified version share comment reply replies term privacy support mail smtp database cookie",
);

/** Keys of the parts that a domain is written in. */
export const domainParts = {
  name: list("name domain host hostname fqdn domainname site value label title"),
  url: list("url href link publicurl pageurl permalink fullurl address uri location web html"),
  scheme: list("scheme protocol"),
  subdomain: list("subdomain"),
  port: list("port"),
  path: list("path pathname urlpath pagepath route uri"),
} as const;

/** Keys of the number of all pages, those that can mean nothing else first. */
export const totalKeys = list(
  "total totalcount totalitems totalresults totalelements totalhits totalrecords totaldocs totalrows totalentries " +
    "numfound odatacount estimatedtotalhits filtercount recordstotal fullcount nbhits available allcount",
);
/** Keys of the same, or of how many are in this answer. */
export const countKeys = list("itemcount recordcount resultcount count quantity");

/** Keys of what is around a list and tells of its length. */
export const pagingKeys = table(
  "meta pagination paging page pageinfo metadata pager info counts summary cursor total count hits d response data result",
);

/** Where the text of an answer's field is, when it is an object: what was written before what was made of it. */
export const textKeys = list(
  "raw value text plaintext stringvalue s source content markdown rendered html plain default",
);

/** Words of a page that is only being made: what carries them at 202 is the work, not the page. */
export const pendingStates = table(
  "queued enqueued pending processing accepted running scheduled inprogress progress started waiting submitted received",
);

/** Keys of the service's own name for the kind of an error. */
export const typeKeys = list("type code errorcode errortype name codename reason error kind status");

/** Keys of an identifier inside the object that it is written as, such as `{ "$oid": … }`. */
export const innerIdKeys = list("oid s n value uuid id stringvalue integervalue numberlong raw text ref 0");

/** Keys of a moment inside the object that it is written as. */
export const innerTimeKeys = list("seconds date iso value time timestamp timestampvalue numberlong datetime n s utc");

/** Keys of a link to the thing itself. */
export const selfKeys = list(
  "self selflink selfurl href uri resourceuri resourceurl location url apiurl link id odataid editlink name resource ref path",
);

/** Keys of what links are in. */
export const linkHolders = table("links link metadata meta sys actions");
