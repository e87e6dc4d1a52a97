// Resolves dialects. A dialect has switches for the behaviour of a service, and templates for its responses.
import { type EndpointName, endpoints } from "../endpoints.ts";
import { gaps, referenceSwitches, type SwitchId, type Switches } from "../gaps.ts";
import { checkValue, suggest } from "../issues.ts";
import { freezeDeep, isObject } from "../json.ts";
import { type AnswerTemplate, type AnswerTemplates, type DialectFile, dialectFileSchema } from "./file.ts";
import { namedAnswers } from "./interpretations.ts";
import type { Subject } from "./placeholders.ts";
import lenient from "./presets/lenient.json" with { type: "json" };
import minimal from "./presets/minimal.json" with { type: "json" };
import mongoLike from "./presets/mongo-like.json" with { type: "json" };
import railsLike from "./presets/rails-like.json" with { type: "json" };
import reference from "./presets/reference.json" with { type: "json" };
import springLike from "./presets/spring-like.json" with { type: "json" };
import strict from "./presets/strict.json" with { type: "json" };
import wrapped from "./presets/wrapped.json" with { type: "json" };
import { readTemplate, type TemplateNode, type TemplatePlace } from "./template.ts";

const presets = {
  reference,
  minimal,
  wrapped,
  "mongo-like": mongoLike,
  "rails-like": railsLike,
  "spring-like": springLike,
  lenient,
  strict,
};

/** Names of the presets. */
export type PresetName = keyof typeof presets;

/** Likely combinations of interpretations, by name, as files that a person can copy and change. Gap: see docs/spec-gaps.md#presets */
export const dialectPresets = freezeDeep(presets as Readonly<Record<PresetName, DialectFile>>); // why: TypeScript types strings of a JSON import as `string`; a test parses every preset

/**
 * A dialect file that is imported as a JSON module. TypeScript types its strings as `string`, so names in it are checked only when
 * the file is used. `$schema` distinguishes such a file from a dialect in code, whose names TypeScript checks.
 */
export interface DialectModule extends Pick<DialectFile, "summary" | "pageId" | "varies"> {
  readonly $schema: string;
  readonly broken?: readonly string[];
  readonly switches?: { readonly [Id in SwitchId]?: string };
  readonly answers?: { readonly [Name in keyof AnswerTemplates]?: unknown };
}

/** A choice of dialect: the name of a preset, or the differences from the mock server's default. */
export type DialectChoice = PresetName | DialectFile | DialectModule;

/** A whole dialect: one interpretation for every gap that can be switched, and a template for every response. */
export interface Dialect {
  readonly switches: Switches;
  /** How paths and events write the identifier of a page; `undefined` allows every form in which responses show it. */
  readonly pageId?: string;
  readonly answers: AnswerTemplates;
}

/** The dialect of the mock server by default. */
export const referenceDialect: Dialect = freezeDeep({
  switches: referenceSwitches,
  answers: namedAnswers(referenceSwitches),
});

/**
 * Turns a choice into a whole dialect. It looks up the name of a preset, and takes missing interpretations and templates from the
 * reference dialect. A bare array has no room for a total, so `list-envelope: "array"` always comes with `list-total: "none"`.
 *
 * @param choice - a {@link DialectChoice}, or anything read from a file.
 * @throws {TypeError} when it is neither, or names an unknown gap, interpretation, template or placeholder.
 */
export function resolveDialect(choice: unknown = "reference"): Dialect {
  const { switches: chosen = {}, pageId, answers: own = {} } = checkFile(choice);
  const given = Object.entries(chosen).filter(([, interpretation]) => interpretation !== undefined);
  const switches: Switches = { ...referenceSwitches, ...Object.fromEntries(given) };
  if (switches["list-envelope"] === "array") switches["list-total"] = "none";
  const answers: AnswerTemplates = { ...namedAnswers(switches), ...own };
  readAnswers(answers);
  if (pageId !== undefined) readPageId(pageId);
  // The caller's object is copied, so that it is not frozen, and later changes of it have no effect.
  const dialect: Dialect = freezeDeep({
    switches,
    ...(pageId !== undefined && { pageId }),
    answers: structuredClone(answers),
  });
  // The reference dialect is always the same object, so a comparison shows that responses need no translation.
  return JSON.stringify(dialect) === JSON.stringify(referenceDialect) ? referenceDialect : dialect;
}

/** Reads the template of an identifier. @throws {TypeError} when it has a mistake, or no `{id}`. */
export function readPageId(template: string): TemplateNode {
  const node = readTemplate(template, { path: "pageId", subjects: ["page"], parts: {} });
  const parts = node.kind === "text" ? node.parts : [node];
  if (parts.some((part) => part.kind === "placeholder" && part.name === "id")) return node;
  throw new TypeError("pageId: expected a template with {id}");
}

function checkFile(choice: unknown): DialectFile {
  if (typeof choice === "string") {
    const preset = new Map<string, DialectFile>(Object.entries(dialectPresets)).get(choice);
    if (preset !== undefined) return preset;
    const names = Object.keys(dialectPresets);
    const isFile = /[./\\]/.test(choice);
    const hint = isFile
      ? "; to use a file, pass its parsed content"
      : suggest(choice, names) || `; known are ${names.join(", ")}`;
    throw new TypeError(`unknown dialect preset ${JSON.stringify(choice)}${hint}`);
  }
  // A switch at the top level is the likeliest mistake.
  const misplaced = isObject(choice) && Object.keys(choice).find((name) => Object.hasOwn(gaps, name));
  if (typeof misplaced === "string")
    throw new TypeError(`${misplaced}: is a switch, which belongs under \`switches\` of the dialect`);
  const checked = checkValue(dialectFileSchema, choice);
  if (checked.success) return checked.data;
  const problems = checked.issues.map(({ path, message }) => [path.join("/"), message].filter(Boolean).join(": "));
  throw new TypeError(problems.join("\n"));
}

/** The shape of a response. */
export interface AnswerShape {
  /** HTTP status; `undefined` keeps the status of the error, so only an error may have it. */
  readonly status: number | undefined;
  /** Headers in addition to those of every response. */
  readonly headers: readonly (readonly [name: string, value: TemplateNode])[];
  /** The body; `undefined` when there is none. */
  readonly body: { readonly kind: "json" | "text" | "html"; readonly node: TemplateNode } | undefined;
}

/** The shapes of all responses of a dialect. */
export interface AnswerShapes {
  readonly endpoints: Readonly<Record<EndpointName, AnswerShape>>;
  /** A list that has no page to show. */
  readonly emptyList: AnswerShape;
  /** A list when there are no pages at all. */
  readonly emptyAccount: AnswerShape;
  /** Every error that is not among `errors`. */
  readonly error: AnswerShape;
  /** Errors, by the status of the reference dialect. */
  readonly errors: ReadonlyMap<number, AnswerShape>;
  /** A 400 about the body as a whole: the 400 of `errors`, unless the dialect has another. */
  readonly malformed: AnswerShape;
}

const aboutPage = ["answer", "page", "domain", "alias"] as const;

/** The subjects of each response. */
const about = {
  listPages: [...aboutPage, "list"],
  createPage: aboutPage,
  updatePage: [...aboutPage, "changes", "change"],
  deletePage: aboutPage,
  trackEvent: [...aboutPage, "event"],
  empty: ["answer", "list"],
  error: ["answer", "error", "field"],
} as const satisfies Record<string, readonly Subject[]>;

/** Reads all templates of a dialect. @throws {TypeError} that names the place of the first mistake. */
export function readAnswers(answers: AnswerTemplates): AnswerShapes {
  const parts: Record<string, TemplateNode> = {};
  for (const name of ["page", "listedPage"] as const)
    parts[name] = readTemplate(answers[name], { path: `answers/${name}`, subjects: aboutPage, parts });
  const read = (name: string, template: AnswerTemplate, subjects: readonly Subject[], usualStatus?: number) =>
    readAnswer(template, { path: `answers/${name}`, subjects, parts }, usualStatus);
  const readEndpoint = (name: EndpointName) => read(name, answers[name], about[name], endpoints[name].success.status);
  const readEmpty = (name: "emptyList" | "emptyAccount", otherwise: AnswerShape) =>
    answers[name] === undefined ? otherwise : read(name, answers[name], about.empty, 200);
  const readError = ([name, template]: readonly [string, AnswerTemplate]) =>
    read(`errors/${name}`, template, about.error);
  const { malformed, ...byStatus } = answers.errors ?? {};
  const listPages = readEndpoint("listPages");
  const emptyList = readEmpty("emptyList", listPages);
  const error = read("error", answers.error, about.error);
  const errors = new Map(Object.entries(byStatus).map((one) => [Number(one[0]), readError(one)]));
  return {
    endpoints: {
      listPages,
      createPage: readEndpoint("createPage"),
      updatePage: readEndpoint("updatePage"),
      deletePage: readEndpoint("deletePage"),
      trackEvent: readEndpoint("trackEvent"),
    },
    emptyList,
    emptyAccount: readEmpty("emptyAccount", emptyList),
    error,
    errors,
    malformed: malformed ? readError(["malformed", malformed]) : (errors.get(400) ?? error),
  };
}

function readAnswer(template: AnswerTemplate, place: TemplatePlace, usualStatus?: number): AnswerShape {
  const { status = usualStatus, headers = {} } = template;
  const readAt = (name: string, part: unknown) => readTemplate(part, { ...place, path: `${place.path}/${name}` });
  const [kind, ...others] = (["body", "text", "html"] as const).filter((name) => template[name] !== undefined);
  if (others.length > 0) throw new TypeError(`${place.path}: a response has one of ${[kind, ...others].join(", ")}`);
  if (kind !== undefined && (status === 204 || status === 205))
    throw new TypeError(`${place.path}: a response with ${status} has no body`);
  const node = kind && readAt(kind, template[kind]);
  return {
    status,
    headers: Object.entries(headers).map(([header, value]) => [header, readAt(`headers/${header}`, value)]),
    body: node && { kind: kind === "body" ? "json" : kind, node: kind === "html" ? asHtml(node) : node },
  };
}

function asHtml(node: TemplateNode): TemplateNode {
  return { kind: "text", parts: node.kind === "text" ? node.parts : [node], isHtml: true };
}
