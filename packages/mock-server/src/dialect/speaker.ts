// The answers of our reference service, written in a dialect: one renderer at the single exit.
import {
  type EndpointName,
  type PageRecord,
  type PageRecordList,
  parseJson,
  problemMediaType,
  problemSchema,
  rateLimitHeaderNames,
  type Reading,
  type RecordedEvent,
  statusTitles,
} from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type Dialect,
  type Facts,
  formats,
  readAnswers,
  referenceDialect,
  renderTemplate,
  renderText,
} from "@landing-page-service/contract/dialect";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";

/** An answer of our reference service, and what it answers. */
export interface Said {
  /** The endpoint that carried the request out; `undefined` where none did, or a planned fault decided. */
  readonly endpoint: EndpointName | undefined;
  readonly request: Partial<Pick<PlainRequest, "origin" | "body">> & Pick<PlainRequest, "path">;
  readonly answer: PlainAnswer;
  /** JSON text of the page that the request was about, as it was before. */
  readonly before?: string | undefined;
  /** The present moment, milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/**
 * Makes the function that writes answers of our reference service in a dialect. Only what the reference service itself
 * would write is written anew; anything else, such as the body of a planned fault, passes through as it is.
 * Gap: see docs/spec-gaps.md
 */
export function createSpeaker(dialect: Dialect): (said: Said) => PlainAnswer {
  if (dialect === referenceDialect) return ({ answer }) => answer;
  const { switches } = dialect;
  const shapes = readAnswers(dialect.answers);
  const asItIs = findUnchanged(dialect);
  const readFacts = factReaders(switches["page-id-type"]);
  return (said) => {
    const { endpoint, answer, nowMs } = said;
    const headers = translateReset(answer.headers, switches["reset-unit"], nowMs);
    const timed = headers === answer.headers ? answer : { ...answer, headers };
    if (answer.status >= 400) return asItIs.has("error") ? timed : speakError(shapes, said, timed);
    if (endpoint === undefined || answer.status < 200 || answer.status >= 300 || asItIs.has(endpoint)) return timed;
    const { facts, pages } = readFacts[endpoint](said);
    const isEmpty = endpoint === "listPages" && pages?.length === 0;
    const empty = facts.list?.total === 0 ? shapes.emptyAccount : shapes.emptyList;
    return speak(isEmpty ? empty : shapes.endpoints[endpoint], facts, timed, pages);
  };
}

/** Answers that look as those of our reference service do need not be written anew: a list is put together from texts that are kept. */
function findUnchanged({ switches, answers }: Dialect): ReadonlySet<EndpointName | "error"> {
  const reference = referenceDialect.answers;
  const isSame = (...names: (keyof typeof answers)[]) =>
    names.every((name) => JSON.stringify(answers[name]) === JSON.stringify(reference[name]));
  const hasSamePages = isSame("page") && switches["page-id-type"] === "string";
  const unchanged = new Set<EndpointName | "error">();
  if (hasSamePages && isSame("listPages", "listedPage", "emptyList", "emptyAccount")) unchanged.add("listPages");
  for (const name of ["createPage", "updatePage", "deletePage"] as const)
    if (hasSamePages && isSame(name)) unchanged.add(name);
  if (isSame("trackEvent")) unchanged.add("trackEvent");
  if (isSame("error", "errors")) unchanged.add("error");
  return unchanged;
}

interface Material {
  readonly facts: Facts;
  readonly pages?: readonly NonNullable<Facts["page"]>[];
}

/** What each endpoint's answer is about; the bodies are those that our reference service has just written. */
function factReaders(idType: Reading<"page-id-type">): Record<EndpointName, (said: Said) => Material> {
  const toPage = (record: PageRecord) => ({ ...record, id: idType === "integer" ? Number(record.id) : record.id });
  const readPage = (text: string | undefined) =>
    text === undefined ? undefined : toPage(JSON.parse(text) as PageRecord); // why: a record is what was written
  const aboutPage = (said: Said, text: string | undefined): Material => ({
    facts: { ...commonFacts(said), page: readPage(text) },
  });
  return {
    listPages(said) {
      const { data, ...list } = JSON.parse(said.answer.body ?? "") as PageRecordList; // why: a list is what was written
      return { facts: { ...commonFacts(said), list: { ...list, count: data.length } }, pages: data.map(toPage) };
    },
    createPage: (said) => aboutPage(said, said.answer.body),
    updatePage(said) {
      const { facts } = aboutPage(said, said.answer.body);
      return { facts: { ...facts, changes: readChanges(said), previous: readPage(said.before) } };
    },
    deletePage: (said) => aboutPage(said, said.before),
    trackEvent(said) {
      const event = JSON.parse(said.answer.body ?? "") as RecordedEvent; // why: a receipt is what was written
      return { facts: { ...commonFacts(said), event, page: readPage(said.before) } };
    },
  };
}

function commonFacts({ request, answer, nowMs }: Said): Facts {
  const { headers, status } = answer;
  return {
    status,
    now: new Date(nowMs).toISOString(),
    requestId: headers["X-Request-Id"] ?? null,
    path: request.path,
    origin: request.origin ?? "https://landing-pages.test",
  };
}

const pageFields = new Set(["title", "content", "slug", "meta_description", "cta"]);

/** The known fields that an update was sent; what else was sent has been ignored. */
function readChanges({ request }: Said): Facts["changes"] {
  const sent: unknown = JSON.parse(new TextDecoder().decode(request.body));
  return Object.fromEntries(Object.entries(sent ?? {}).filter(([name]) => pageFields.has(name)));
}

/** Gap: see docs/spec-gaps.md#error-body */
function speakError(shapes: AnswerShapes, said: Said, answer: PlainAnswer): PlainAnswer {
  const mediaType = findHeader(answer.headers, "Content-Type");
  if (mediaType === undefined || !answer.headers[mediaType]?.startsWith(problemMediaType)) return answer;
  const problem = problemSchema.safeParse(parseJson(answer.body ?? "")).data;
  if (problem === undefined) return answer;
  const { title, detail, errors = [] } = problem;
  const isMalformed = answer.status === 400 && errors.some(({ pointer }) => pointer === "#");
  const shape = isMalformed ? shapes.malformed : (shapes.errors.get(answer.status) ?? shapes.error);
  const status = shape.status ?? answer.status;
  const reason = status === answer.status ? title : (statusTitles[status] ?? title);
  return speak(shape, { ...commonFacts(said), status, error: { reason, detail, errors } }, answer);
}

function speak(shape: AnswerShape, facts: Facts, answer: PlainAnswer, pages?: Material["pages"]): PlainAnswer {
  const status = shape.status ?? answer.status;
  const about = { ...facts, status };
  const { body } = shape;
  const written = shape.headers.map(([name, node]): [string, string] => [name, renderText(node, about)]);
  // A header with nothing in it is not sent: the last part of a list has no link to the next.
  const own = written.filter(([, value]) => value !== "");
  const replaced = new Set(["content-type", "location", ...written.map(([name]) => name.toLowerCase())]);
  const kept = Object.entries(answer.headers).filter(([name]) => !replaced.has(name.toLowerCase()));
  const isTyped = written.some(([name]) => name.toLowerCase() === "content-type");
  return {
    status,
    headers: Object.fromEntries([
      ...kept,
      ...(body === undefined || isTyped ? [] : [["Content-Type", mediaTypes[body.kind]] as const]),
      ...own,
    ]),
    body: body && writeBody(body, about, pages),
  };
}

const mediaTypes = { json: "application/json", text: "text/plain; charset=utf-8", html: "text/html; charset=utf-8" };

function writeBody({ kind, node }: NonNullable<AnswerShape["body"]>, facts: Facts, pages: Material["pages"]): string {
  if (kind === "json") return JSON.stringify(renderTemplate(node, facts, pages));
  return renderText(node, facts, kind === "html" ? formats.html.write : undefined);
}

// Gap: unit of X-RateLimit-Reset, see docs/spec-gaps.md#reset-unit
function translateReset(
  headers: Record<string, string>,
  unit: Reading<"reset-unit">,
  nowMs: number,
): Record<string, string> {
  if (unit === "epoch-seconds") return headers;
  const name = findHeader(headers, rateLimitHeaderNames.reset);
  const written = name === undefined ? undefined : headers[name];
  // A planned fault may have put anything there; only a moment in seconds, as the reference service writes it, has a unit to change.
  if (name === undefined || written === undefined || !/^\d{9,11}$/.test(written)) return headers;
  const resetAtSeconds = Number(written);
  const seconds = Math.max(0, Math.ceil(resetAtSeconds - nowMs / 1000));
  return { ...headers, [name]: String(unit === "seconds" ? seconds : resetAtSeconds * 1000) };
}

function findHeader(headers: Record<string, string>, name: string): string | undefined {
  return Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase());
}
