// How a name is understood: by the words it is made of, however it is spelled.
import { fieldKeys, foreignWords, idWords, neutralWords, pageWords, relativeWords, versionWords } from "./names.ts";

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
export function isIn(table: ReadonlySet<string>, word: string): boolean {
  return table.has(word) || table.has(word.replace(/ies$/, "y")) || table.has(word.replace(/s$/, ""));
}

const documentedKeys: ReadonlySet<string> = new Set(Object.values(fieldKeys).flat());

/** Whether a name is that of a documented field of a page. */
export function isDocumented(name: unknown): name is string {
  return typeof name === "string" && documentedKeys.has(keyOf(name));
}

/** Whether a name is that of a page related to this one. */
export const isRelative: (name: string) => boolean = judge((name) =>
  wordsOf(name).some((word) => isIn(relativeWords, word)),
);

/** Whether a name is that of another thing than the page: its author, the request, a page related to it. */
export const isForeign: (name: string) => boolean = judge((name) => {
  const words = wordsOf(name);
  const isOther = !isIn(pageWords, words.at(-1) ?? "") && words.some((word) => isIn(foreignWords, word));
  return isOther || isRelative(name);
});

/** Whether fields of the page may be inside a member: they may be those of its present version. */
export function isEntered(name: string): boolean {
  return !isForeign(name) || versionWords.has(wordsOf(name).at(-1) ?? "");
}

/** Whether every word of a name is one for a page, or for what may be around it. */
export const isNeutral: (name: string) => boolean = judge((name) => {
  const words = wordsOf(name);
  const isOfPage = words.every((word) => [pageWords, neutralWords, idWords].some((table) => isIn(table, word)));
  return /^\d+$/.test(name) || (words.length > 0 && isOfPage);
});

/** Whether a name is that of an identifier of the page: `insertedId`, `landing_page_ids`, `id_page`. */
export const isPageIdName: (name: string) => boolean = judge((name) => {
  const words = wordsOf(name);
  const [first = "", last = ""] = [words[0], words.at(-1)];
  const isEnd = /^(?:id|uid|uuid|guid|ulid|oid|rowid|key|identifier)s?$/.test(last);
  // In other languages the thing comes after what it has: `id_pagina`.
  const rest = isEnd ? words.slice(0, -1) : /^(?:id|uuid|guid)s?$/.test(first) ? words.slice(1) : undefined;
  return (
    rest !== undefined && words.length > (last.startsWith("key") ? 1 : 0) && rest.every((word) => isIn(idWords, word))
  );
});

/** Whether the kind that a thing says it is, in a few words, is that of another thing than a page. */
export function saysForeign(kind: string): boolean {
  const words = wordsOf(kind);
  const head = words.at(-1) ?? "";
  const isOther = isIn(foreignWords, head) && !/^(?:link|site|website|message|column|product)s?$/.test(head);
  return isOther && kind.length < 60 && words.length <= 3;
}
