// What every answer of a dialect looks like: its templates, read and checked.
import { type EndpointName, endpoints } from "../endpoints.ts";
import type { AnswerTemplates } from "./file.ts";
import type { Subject } from "./facts.ts";
import { readTemplate, type Repeated, type TemplateNode, type TemplatePlace } from "./template.ts";
import { isObject } from "../json.ts";
import { checkMembers, quote } from "./words.ts";

/** What an answer looks like. */
export interface AnswerShape {
  /** HTTP status; `undefined` leaves it as it is, which only an error may. */
  readonly status: number | undefined;
  /** Headers beside those that every answer has. */
  readonly headers: readonly (readonly [name: string, value: TemplateNode])[];
  /** The body; `undefined` when there is none. */
  readonly body: { readonly kind: "json" | "text" | "html"; readonly node: TemplateNode } | undefined;
}

/** What every answer of a dialect looks like. */
export interface AnswerShapes {
  readonly endpoints: Readonly<Record<EndpointName, AnswerShape>>;
  /** A list that holds no page. */
  readonly emptyList: AnswerShape;
  /** A list where there is no page at all. */
  readonly emptyAccount: AnswerShape;
  /** Every error that is not among `errors`. */
  readonly error: AnswerShape;
  /** Errors by the status that our reference service answers. */
  readonly errors: ReadonlyMap<number, AnswerShape>;
  /** A 400 that blames the body as a whole: as `errors` has 400 unless the dialect tells them apart. */
  readonly malformed: AnswerShape;
}

/** Names of the templates of a dialect. */
export const answerNames: readonly (keyof AnswerTemplates)[] = [
  "page",
  "listedPage",
  "createPage",
  "listPages",
  "emptyList",
  "emptyAccount",
  "updatePage",
  "deletePage",
  "trackEvent",
  "error",
  "errors",
];

/** Answers to lists without pages. */
type EmptyName = "emptyList" | "emptyAccount";

const aboutPage: readonly Subject[] = ["answer", "page", "domain", "alias"];
const subjects: Readonly<Record<EndpointName | EmptyName | "error", readonly Subject[]>> = {
  createPage: aboutPage,
  updatePage: [...aboutPage, "changes", "change"],
  deletePage: aboutPage,
  listPages: [...aboutPage, "list"],
  emptyList: ["answer", "list"],
  emptyAccount: ["answer", "list"],
  trackEvent: [...aboutPage, "event"],
  error: ["answer", "error", "field"],
};

const repeatsIn: { readonly [Name in EndpointName]?: readonly Repeated[] } = {
  listPages: ["page", "domain", "alias"],
  updatePage: ["change", "domain", "alias"],
};

/** Reads all templates of a dialect. @throws {TypeError} that names the place of the first mistake. */
export function readAnswers(answers: AnswerTemplates): AnswerShapes {
  const about: TemplatePlace = { path: "answers/page", subjects: aboutPage, parts: {}, repeats: ["domain", "alias"] };
  const page = readTemplate(answers.page, about);
  const parts = { page };
  const listedPage = readTemplate(answers.listedPage, { ...about, path: "answers/listedPage", parts });
  const read = (name: EndpointName | EmptyName, template: unknown) => {
    const isEmpty = name === "emptyList" || name === "emptyAccount";
    const { status } = endpoints[isEmpty ? "listPages" : name].success;
    return readShape(
      template,
      { range: [200, 299], status, ...(isEmpty && { also: 404 }) },
      {
        path: `answers/${name}`,
        subjects: subjects[name],
        parts: name === "listPages" ? { page, listedPage } : subjects[name].includes("page") ? parts : {},
        repeats: (isEmpty ? undefined : repeatsIn[name]) ?? ["domain", "alias"],
      },
    );
  };
  const emptyList =
    answers.emptyList === undefined ? read("listPages", answers.listPages) : read("emptyList", answers.emptyList);
  const error = readError(answers.error, "answers/error");
  const { malformed, ...byStatus } = readErrors(answers.errors ?? {});
  const errors = new Map(Object.entries(byStatus).map(([status, shape]) => [Number(status), shape]));
  return {
    endpoints: {
      listPages: read("listPages", answers.listPages),
      createPage: read("createPage", answers.createPage),
      updatePage: read("updatePage", answers.updatePage),
      deletePage: read("deletePage", answers.deletePage),
      trackEvent: read("trackEvent", answers.trackEvent),
    },
    emptyList,
    emptyAccount: answers.emptyAccount === undefined ? emptyList : read("emptyAccount", answers.emptyAccount),
    error,
    errors,
    malformed: malformed ?? errors.get(400) ?? error,
  };
}

function readError(template: unknown, path: string): AnswerShape {
  const place: TemplatePlace = { path, subjects: subjects.error, parts: {}, repeats: ["field"] };
  return readShape(template, { range: [400, 599], status: undefined }, place);
}

function readErrors(errors: unknown): { readonly [name: string]: AnswerShape } {
  if (!isObject(errors))
    throw new TypeError(`answers/errors: expected an object of templates by status, got ${quote(errors)}.`);
  return Object.fromEntries(
    Object.entries(errors).map(([name, template]) => {
      if (name !== "malformed") readStatus(/^\d{3}$/.test(name) ? Number(name) : name, [400, 599], "answers/errors");
      return [name, readError(template, `answers/errors/${name}`)];
    }),
  );
}

const bodyKinds = { body: "json", text: "text", html: "html" } as const;
const bodiless = new Set([204, 205]);

interface Statuses {
  readonly range: readonly [least: number, most: number];
  /** One more that is taken. */
  readonly also?: number;
  /** The status where the template has none. */
  readonly status: number | undefined;
}

function readShape(template: unknown, { range, also, status: usual }: Statuses, place: TemplatePlace): AnswerShape {
  const { path } = place;
  if (!isObject(template))
    throw new TypeError(`${path}: expected an object such as { "status": 200, "body": … }, got ${quote(template)}.`);
  checkMembers(template, ["status", "headers", ...Object.keys(bodyKinds)], path);
  const given = template["status"];
  const status = given === undefined ? usual : given === also ? also : readStatus(given, range, `${path}/status`);
  const bodies = (["body", "text", "html"] as const).filter((member) => template[member] !== undefined);
  const [member] = bodies;
  if (bodies.length > 1) throw new TypeError(`${path}: an answer has one of ${bodies.join(", ")}.`);
  if (member !== undefined && bodiless.has(status ?? 200))
    throw new TypeError(`${path}: an answer with ${status} has no body.`);
  const body = member === undefined ? undefined : { kind: bodyKinds[member], node: readBody(template, member, place) };
  return { status, headers: readHeaders(template["headers"] ?? {}, place), body };
}

function readBody(
  template: Readonly<Record<string, unknown>>,
  member: keyof typeof bodyKinds,
  place: TemplatePlace,
): TemplateNode {
  const path = `${place.path}/${member}`;
  const text = template[member];
  if (member !== "body" && typeof text !== "string")
    throw new TypeError(`${path}: expected a text, got ${quote(text)}.`);
  return readTemplate(text, { ...place, path });
}

function readHeaders(headers: unknown, place: TemplatePlace): AnswerShape["headers"] {
  const path = `${place.path}/headers`;
  if (!isObject(headers)) throw new TypeError(`${path}: expected an object of texts, got ${quote(headers)}.`);
  return Object.entries(headers).map(([name, value]) => {
    if (typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value) || !/^[!#$%&'*+\-.^_`|~\w]+$/.test(name))
      throw new TypeError(`${path}: HTTP cannot carry ${quote(name)}: ${quote(value)}.`);
    return [name, readTemplate(value, { ...place, path: `${path}/${name}` })];
  });
}

function readStatus(status: unknown, [least, most]: readonly [number, number], path: string): number {
  if (typeof status === "number" && Number.isInteger(status) && status >= least && status <= most) return status;
  throw new TypeError(`${path}: expected a status from ${least} to ${most}, got ${quote(status)}.`);
}
