import type { PageFields } from "@landing-page-service/contract";

/**
 * The fields that a dialect adds to a page, as its template `answers.page` tells them: constants of JSON have their types, and what a
 * placeholder or a text may stand for is unknown. A field is optional, because lists and updates may leave it out.
 */
export type DialectFields<Dialect> = Dialect extends { readonly answers: { readonly page: infer Page extends object } }
  ? { [Name in AddedName<keyof Page>]?: FieldValue<FieldOf<Page, Name>> }
  : object;

/** A name that is none of the documented ones; `live?` in a template is the optional field `live`. */
type AddedName<Name> = Exclude<PlainName<Name>, keyof PageFields>;
type PlainName<Name> = Name extends `${string}{${string}` | "..." | "...?"
  ? never
  : Name extends `${infer Plain}?${string}`
    ? Plain
    : Name & string;

type FieldOf<Page, Name extends string> = {
  [Key in keyof Page]: PlainName<Key> extends Name ? Page[Key] : never;
}[keyof Page];

type FieldValue<Value> = Value extends boolean
  ? boolean
  : Value extends number
    ? number
    : Value extends readonly (infer Item)[]
      ? FieldValue<Item>[]
      : Value extends string | null
        ? unknown
        : { [Name in keyof Value as PlainName<Name>]?: FieldValue<Value[Name]> };
