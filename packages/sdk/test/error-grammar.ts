// Error bodies nobody has described: a sentence, the field it speaks of, and around them whatever services put into such bodies.
import * as fc from "fast-check";

/** An error body, and what a person is to be told of it. */
export interface ErrorBody {
  readonly text: string;
  readonly sentence: string;
  /** The field that is to blame, as a message names it; empty when the body names none. */
  readonly field: string;
}

type Json = Record<string, unknown>;
type Spelling = (words: readonly string[]) => string;

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
const spelling = fc.constantFrom<Spelling>(
  (words) => words.join("_"),
  (words) => words.map((word, index) => (index === 0 ? word : capital(word))).join(""),
  (words) => words.map(capital).join(""),
  (words) => words.join("-"),
  (words) => words.join(""),
  (words) => `api:${words.join("_")}`,
);
/** Names in words, so that they can be spelled in any way. */
const named = (names: string) => fc.constantFrom(...names.split(", ").map((name) => name.split(" ")));

const subjects =
  "the slug, This page, Your title, 'oak-table', Page 7, A call to action, Der Kurzname, Поле, 页面".split(", ");
const verbs =
  "is used by another page, must not be blank, has to be shorter than 80 signs, kann so nicht bleiben, 已被占用".split(
    ", ",
  );
const ends = ["", ".", "!", " (see above).", ": oak-table", ` ${"and so on ".repeat(70)}`];

const sentence = fc
  .tuple(fc.constantFrom(...subjects), fc.constantFrom(...verbs), fc.constantFrom(...ends))
  .map((parts) => `${parts[0]} ${parts[1]}${parts[2]}`.trim());

const field = fc.constantFrom(
  ..."title slug content meta_description cta.url cta.label page.slug metaDescription".split(" "),
);

/** How the sentence itself is written. */
const wordings: Record<string, (sentence: string) => unknown> = {
  text: (said) => said,
  language: (said) => ({ lang: "en", value: said }),
  languages: (said) => ({ de: "Zed: so geht es leider nicht.", en: said }),
  html: (said) => `<p><strong>${said.replaceAll("<", "&lt;")}</strong></p>`,
  stack: (said) => `${said}\n    at create (/srv/zed/pages.js:12:7)\n    at next (/srv/zed/app.js:3:1)`,
  spaces: (said) => `  ${said.replace(" ", "\n\t")}\n`,
};

/** What stands beside it and says nothing to a person. Each holds the word Zed, which is never told. */
const decoys: Record<string, Json> = {
  code: { code: "ZED_TAKEN" },
  type: { type: "https://zed.example/problems/taken" },
  number: { status: 400, errno: 1062 },
  moment: { timestamp: "2026-01-05T09:12:44.123Z", date: "Mon, 05 Jan 2026 09:12:44 GMT" },
  trace: { trace_id: "zed-3f0c9a1e-7b1d", requestId: "Zed1234567890" },
  docs: { documentation_url: "https://zed.example/docs", more_info: "https://zed.example/errors/7" },
  links: { links: [{ rel: "help", href: "https://zed.example/help", title: "Zed explains errors of pages" }] },
  advice: {
    innererror: {
      Error_Resolution: { SAP_Transaction: "Run transaction Zed on the hub", SAP_Note: "Ask Zed for the note" },
    },
  },
  help: { help: "Zed has more about this error in his manual", hint: "Perhaps Zed meant another page" },
  stack: {
    stack: "ZedError: it broke\n    at zed (/srv/zed.js:1:1)",
    stacktrace: ["at zed (/srv/zed.js:1:1)", "at Zed.run (x.js:2:2)"],
  },
  behind: { innerException: { message: "Zed could not be reached from the inside", type: "System.Zed" } },
  request: {
    request: {
      method: "POST",
      path: "/api/zed",
      body: { title: "Zed oak table", description: "A table that Zed has made" },
    },
  },
  context: { "@context": "/api/contexts/Zed", "@type": "zed:Error", kind: "zed#error" },
  developer: { developer_message: "ZedService#create threw for tenant twelve" },
  echo: { page: { title: "Zed oak table", slug: "zed-oak", content: "All that Zed has to say about tables." } },
  rejected: { rejectedValue: "Zed oak table", value: "Zed has sent this" },
  schema: { schemaPath: "#/properties/zed/minLength", params: { zed: "Zed is not a limit" }, keyword: "zed" },
  empty: { details: [], errors: {}, messages: null, data: null },
};
const decoy = fc.constantFrom(...Object.keys(decoys));

const said = named(
  "message, msg, error message, detail, description, error description, default message, long message, " +
    "user message, reason, explanation, friendly msg, error detail, translated message, " +
    "human description",
);
const blamed = named(
  "field, field name, property, property path, param, parameter, attribute, pointer, path, data path, champ, feld",
);

/** How an object names its field. */
const blames: Record<string, (name: string, field: string) => Json> = {
  text: (name, path) => ({ [name]: path }),
  pointer: (name, path) => ({ [name]: `#/${path.replaceAll(".", "/")}` }),
  steps: (name, path) => ({ [name]: path.split(".") }),
  request: (_name, path) => ({ loc: ["body", ...path.split(".")] }),
  operation: (_name, path) => ({ path: ["updatePage", "input", ...path.split(".")] }),
  source: (_name, path) => ({ source: { pointer: `/${path.replaceAll(".", "/")}` } }),
  target: (_name, path) => ({ target: path }),
  inner: (name, path) => ({ meta: { [name.replace(/.*path$/i, "field")]: path } }),
  several: (_name, path) => ({ paths: [path.split(".")] }),
  list: (_name, path) => ({ fields: [path] }),
};

const headline = fc.constantFrom<Json>(
  {},
  { message: "Validation failed" },
  { title: "Bad Request", status: 400 },
  { error: "Bad Request", statusCode: 400 },
  { message: "The given data was invalid.", code: "ZED_INVALID" },
  { "hydra:title": "An error occurred" },
  { error: "zed_invalid", ok: false },
);
const details = named(
  "errors, details, violations, field errors, invalid params, validation errors, constraint failures, " +
    "issues, problems, error list, failed records, tpp messages, elements, causes",
);
const maps = named("errors, validation errors, field errors, model state, violations, form errors");
const wrapper = named("error, fault, data, response, result, reply, error response, body, problem, collection, meta");

/** Where the problem stands in the body. */
const places: Record<string, (problem: Json, names: { list: string; headline: Json }) => unknown> = {
  top: (problem) => problem,
  list: (problem, { list, headline: around }) => ({ ...around, [list]: [problem] }),
  after: (problem, { list, headline: around }) => ({ [list]: [problem], ...around }),
  object: (problem, { headline: around }) => ({ ...around, errors: { error: problem } }),
  array: (problem) => [problem],
  chain: (problem, { list, headline: around }) => ({
    ...around,
    errors: [{ code: 7, message: "Validation error", [list]: [problem] }],
  }),
  meta: (problem, { list }) => ({ ok: false, error: "zed_invalid", response_metadata: { [list]: [problem] } }),
  text: (problem, { headline: around }) => ({ ...around, error: JSON.stringify(problem) }),
};

const shuffled = (parts: readonly Json[], seed: number): Json =>
  Object.assign({}, ...parts.map((_, index) => parts[(index + seed) % parts.length])) as Json; // why: Object.assign gives any

/** A problem as an object: its sentence, perhaps its field, and decoys. */
const asObject = fc
  .record({
    sentence,
    field: fc.option(field, { nil: "" }),
    wording: fc.constantFrom(...Object.values(wordings)),
    said,
    blamed,
    blame: fc.constantFrom(...Object.values(blames)),
    decoys: fc.uniqueArray(decoy, { maxLength: 6 }),
    seed: fc.nat(6),
    spelling,
    list: details,
    headline,
    place: fc.constantFrom(...Object.values(places)),
    wrappers: fc.array(wrapper, { maxLength: 2 }),
  })
  .map((all): ErrorBody => {
    const problem = shuffled(
      [
        { [all.spelling(all.said)]: all.wording(all.sentence) },
        all.field === "" ? {} : all.blame(all.spelling(all.blamed), all.field),
        ...all.decoys.map((name) => decoys[name] ?? {}),
      ].filter((part) => Object.keys(part).length > 0),
      all.seed,
    );
    const placed = all.place(problem, { list: all.spelling(all.list), headline: all.headline });
    const body = all.wrappers.reduce((inner, name) => ({ [all.spelling(name)]: inner }), placed);
    return { text: JSON.stringify(body), sentence: all.sentence, field: all.field };
  });

/** How a map from fields to what is wrong with them writes that. */
const entries: Record<string, (sentence: string, said: string) => unknown> = {
  text: (text) => text,
  texts: (text) => [text, "Zed says something else as well."],
  object: (text, name) => ({ code: "ZED", [name]: text }),
  objects: (text, name) => [{ type: "zed", [name]: text }],
  own: (text) => ({ _errors: [text] }),
};

const asMap = fc
  .record({
    sentence,
    field,
    entry: fc.constantFrom(...Object.values(entries)),
    said,
    spelling,
    map: maps,
    headline,
    wrappers: fc.array(wrapper, { maxLength: 1 }),
    decoys: fc.uniqueArray(decoy, { maxLength: 3 }),
    isNested: fc.boolean(),
  })
  .map((all): ErrorBody => {
    const value = all.entry(all.sentence, all.spelling(all.said));
    const map =
      all.isNested && all.field.includes(".")
        ? all.field.split(".").reduceRight((inner, name) => ({ [name]: inner }), value)
        : { [all.field]: value };
    const aside = all.decoys.filter((name) => name !== "empty").map((name) => decoys[name] ?? {});
    const placed: Json = { ...all.headline, [all.spelling(all.map)]: map };
    const body = all.wrappers.reduce(
      (inner, name) => ({ [all.spelling(name)]: inner }),
      Object.assign({}, ...aside, placed) as Json,
    ); // why: Object.assign gives any
    return { text: JSON.stringify(body), sentence: all.sentence, field: all.field };
  });

/** Sentences without an object of their own. */
const bare = fc
  .record({
    sentence,
    headline,
    list: details,
    spelling,
    form: fc.constantFrom("strings", "string", "error", "text", "json", "top", "xml", "html"),
  })
  .map(({ sentence: text, headline: around, list, spelling: spell, form }): ErrorBody => {
    const xml = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const forms: Record<typeof form, string> = {
      strings: JSON.stringify({ message: "Bad Request", ...around, [spell(list)]: [text] }),
      string: JSON.stringify({ ...around, errors: text }),
      error: JSON.stringify({ error: text, status: 400 }),
      text,
      json: JSON.stringify(text),
      top: JSON.stringify([text]),
      xml: `<?xml version="1.0"?>\n<ns:Error xmlns:ns="urn:zed"><ns:Code>ZedTaken</ns:Code><ns:Message>${xml}</ns:Message><Resource>/zed</Resource></ns:Error>`,
      html: `<!doctype html><html><head><title>400 Bad Request</title></head><body><h1>Bad Request</h1><p>${xml}</p></body></html>`,
    };
    return { text: forms[form], sentence: text, field: "" };
  });

/** Any error body. */
export const errorBody: fc.Arbitrary<ErrorBody> = fc.oneof(
  { weight: 3, arbitrary: asObject },
  { weight: 2, arbitrary: asMap },
  bare,
);
