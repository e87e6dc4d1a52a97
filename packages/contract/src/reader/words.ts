// What words say of the thing that they name, in answers that nobody described: tables, with what each is for.

/** The words of a text, in its order. */
export const list = (text: string): readonly string[] => text.trim().split(/\s+/);
/** The words of a text, to look them up. */
export const table = (text: string): ReadonlySet<string> => new Set(list(text));

/** Names of what is inside a record and holds its identifier and its moments. */
export const inner = "sys meta metadata system identity identifiers attributes contentlink";

/** That a thing is not there for visitors yet, or no longer. */
const off =
  "inactive disabled removed unassigned failed pending deleted banned denied forbidden expired archived past retired obsolete deprecated old former " +
  "blocked rejected excluded suspended paused detached offline unpublished";

/** Words by what they say of the thing that they name. */
export const words = {
  /** The thing itself. */
  page: table(
    "page landing content document doc entry item record resource object node post article entity element row",
  ),
  /** What may stand before `id` in the name of a page's identifier: what it is, that it is new, that it is a number; also in other languages. */
  id: table(
    "page landing content document doc entry item record resource object node post article entity row public unique new created inserted insert " +
      "generated last upserted added saved sys system landingpage lp seite seiten pagina sida sivu sayfa strona oldal stranka stranica halaman trang " +
      "inhalt beitrag eintrag contenido contenu contenuto conteudo inhoud fiche datensatz str lng int fld num n",
  ),
  /** What may be around a thing: nothing in them says that it is another one. */
  neutral: table(
    "data result response reply payload body attribute field property prop value output returned d obj model instance source info current after new " +
      "created inserted added updated saved changed embedded view single one create insert add save put update patch upsert into by pk collection catalog " +
      "mutation returning detail the my all list many success ok changes set hit return envelope",
  ),
  /** Other things than pages: an identifier or a list of those is worse than none. */
  foreign: table(
    "usr acc cust autor auteur autore benutzer nutzer usuario utilisateur utente gebruiker task job operation op transaction txn trx request req trace " +
      "span correlation event audit log account acct user author owner creator editor publisher customer client organization organisation org company team " +
      "tenant workspace project session token app application api domain host template layout theme category tag topic taxonomy term menu image img " +
      "picture photo media asset file attachment thumbnail avatar icon logo cover banner poster video revision version history batch queue process " +
      "workflow message notification webhook error warning problem issue notice violation comment review rating link include included relationship " +
      "permission role group plan subscription billing invoice order payment product variant currency language locale translation localization setting " +
      "config option filter facet aggregation bucket suggestion sort column header pagination paging pager cursor query param parameter input debug " +
      "profile stat analytics metric diff lock site website store shop blog newsletter campaign environment env cluster shard server region receipt ticket " +
      "ack key secret sender member person action breadcrumb navigation nav sidebar footer announcement widget schema definition",
  ),
  /** Another page. */
  relative: table(
    "related similar recommended recommendation popular featured suggested parent next prev previous original old before deleted removed linked child " +
      "children sub ancestor sibling example sample default first last translated alternate",
  ),
  /** What is in a page, or about a part of it: a title or an identifier of that is not the page's. */
  embedded: table(
    "seo meta section block hero widget slide step card brand folder popup modal faq headline label placeholder caption class color style size length " +
      "format alt short nav promo teaser testimonial quote footer feature",
  ),
  /** The part of a record that holds its fields, apart from its identifier. */
  split: table("attribute field property prop source doc node content value document record spec"),
  /** What is inside a record and holds its identifier and its moments. */
  inner: table(inner),
  /** What holds its address, inside of it or beside. */
  serving: table("routing delivery deployment hosting publishing publication"),
  /** A state of the page: its fields are the page's, its identifier is not. */
  version: table("revision version snapshot translation localization draft edition"),
  /** A domain. */
  domain: table(
    "domain host hostname fqdn servername placed shown hosted site website placement assignment subdomain vhost alias aliases ingress dominio " +
      "domaine domein domena dominium domane domeniu",
  ),
  /** A URL. */
  url: table("url uri link href address location permalink canonical"),
  /** That a URL is the page's public one. */
  public: table(
    "public publish live online custom other additional extra canonical permalink published html web page site view external landing visit frontend " +
      "website production domain default listing full absolute ssl https secure primary main final friendly pretty status publishing publication vanity " +
      "storefront assigned",
  ),
  /** That a URL or a host is not where visitors find the page: another thing's, or not the page's yet or any more. */
  notPublic: table(
    `${off} from copy clone competitor rival checked stat hit score error screenshot repo repository git amp short qr embed oembed dashboard studio ` +
      "console manage panel suggested suggestion available candidate requested allowed recommended recommendation potential alternative blacklist " +
      "blocklist denylist allowlist whitelist possible fallback ignored optional proposed proposal eligible wanted reserved cta button external partner " +
      "original sender third vendor self api image img picture photo thumbnail thumb avatar icon logo media asset cover banner poster video author user " +
      "owner account edit admin delete update callback webhook doc help first last prev previous next upload download source referrer redirect target " +
      "preview feed schema type status monitor task job login email collection related parent template og twitter social id count total request internal " +
      "origin server proxy cdn backend key slug tracking staging draft dev sandbox pixel file attachment hash verified version share comment reply replies " +
      "term privacy support mail smtp database cookie",
  ),
  /** That it is not there for visitors yet, or no longer. */
  off: table(off),
  /** Of what type a member is: `strTitle`, `objCta`, `lngId`. */
  type: table(
    "str s sz txt chr vc obj o json j lng l int i n num dbl b bln bool arr lst col dt dte dat ts fld f var v m",
  ),
} as const;

/** What a word may say. */
export type Sense = keyof typeof words;
