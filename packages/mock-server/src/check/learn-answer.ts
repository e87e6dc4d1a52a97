// Learns how one answer looks: its status, its headers, its body in JSON, text or HTML.
import { type AnswerTemplate, escapeTemplate } from "@landing-page-service/contract/dialect";
import { explain } from "./explain.ts";
import type { Sample } from "./explain-text.ts";
import { type Lesson, learnTemplate } from "./learn.ts";
import { bodiesOf, type Sight } from "./samples.ts";

/** The status, body and telling headers of an answer; `undefined` when it was never seen. */
export function learnAnswer(sights: readonly Sight[], lesson: Lesson): AnswerTemplate | undefined {
  const status = sights[0]?.exchange.answer?.status;
  if (status === undefined) return undefined;
  const alike = sights.filter(({ exchange }) => exchange.answer?.status === status);
  return { status, ...learnShape(alike, lesson) };
}

/** The body and telling headers of answers that are alike in status. */
export function learnShape(sights: readonly Sight[], lesson: Lesson): AnswerTemplate {
  const body = learnBody(sights, lesson);
  const usualType = "text" in body ? "text/plain" : "html" in body ? "text/html" : "application/json";
  const headers = learnHeaders(sights, lesson, usualType);
  return { ...(Object.keys(headers).length > 0 && { headers }), ...body };
}

function learnBody(sights: readonly Sight[], lesson: Lesson): Pick<AnswerTemplate, "body" | "text" | "html"> {
  const samples = bodiesOf(sights);
  const texts = sights.map(({ exchange }) => exchange.answer?.body ?? "");
  const [first = ""] = texts;
  if (samples[0]?.value !== undefined) {
    const json = samples.filter(({ value }) => value !== undefined);
    if (json.length < samples.length) lesson.note(`${lesson.path}/body`, "no JSON");
    return { body: learnTemplate(json, { ...lesson, path: `${lesson.path}/body` }) };
  }
  if (first === "") {
    const other = texts.find((text) => text !== "");
    if (other !== undefined) lesson.note(`${lesson.path}/body`, other);
    return {};
  }
  const kind = /^\s*</.test(first) ? "html" : "text";
  const sighted = sights.map(({ facts }, index) => ({ value: texts[index], facts }));
  return { [kind]: learnText(sighted, { ...lesson, path: `${lesson.path}/${kind}`, name: kind }) };
}

/** A text, around what changes in it: in a page made for people, a sentence stands between two tags. */
function learnText(samples: readonly Sample[], lesson: Lesson): string {
  const found = explain(samples, lesson);
  if (found !== undefined) return found;
  const [first = [], ...others] = samples.map((sample) => markStatus(sample).split(/(?<=>)|(?=<)/));
  const isFixed = (part: string, at: number) => others.every((parts) => parts[at] === part);
  if (lesson.subjects.includes("error"))
    return first.map((part, at) => (isFixed(part, at) ? part : "{detail}")).join("");
  if (!first.every(isFixed)) lesson.note(lesson.path, first.join(""));
  return first.join("");
}

/** A text as a template, its status and the name of that as holes. */
function markStatus({ value, facts }: Sample): string {
  const { status, error } = facts;
  const text = escapeTemplate(String(value));
  if (error === undefined || error.reason === "") return text;
  return text
    .replaceAll(`${status} ${error.reason}`, "{status} {reason}")
    .replaceAll(`>${error.reason}<`, ">{reason}<")
    .replaceAll(`>${status}<`, ">{status}<");
}

/** Headers that are there to say where a page is, or which part of a list this is. */
const telling = /^(?:location|content-location|content-range|link)$/;

/** Headers about the connection, the message, caches, browsers, limits and traces: whatever they hold is about no page. */
const aboutOther =
  /^(?:date|age|etag|expires|last-modified|cache-control|pragma|vary|via|server.*|alt-svc|content-.*|accept.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie|www-authenticate|strict-transport-security|access-control-.*|cross-origin-.*|.*-policy|nel|report.*|retry-after|(?:x-)?rate-?limit.*|(?:x-)?(?:request|correlation|trace|span)-?id|traceparent|tracestate)$/;

/** Headers that say something about the answer; all others are left to the server. */
function learnHeaders(sights: readonly Sight[], lesson: Lesson, usualType: string): Record<string, string> {
  const [first] = sights;
  const headers: Record<string, string> = {};
  for (const name of new Set(sights.flatMap(({ exchange }) => Object.keys(exchange.answer?.headers ?? {})))) {
    const samples = sights.map(({ exchange, facts }) => ({ value: exchange.answer?.headers[name], facts }));
    // What stands in a header by chance does not change with what the answer is about.
    const isProven = new Set(samples.map(({ value }) => value)).size > 1 && !aboutOther.test(name);
    if (!telling.test(name) && !isProven) continue;
    const hole = explain(samples, { ...lesson, path: `${lesson.path}/headers/${name}`, name });
    if (hole !== undefined && /\{(?:id|path|total|count|limit|offset|slug|domain|event|code|next|previous)/.test(hole))
      headers[spellHeader(name)] = hole.replace(/:text\}/g, "}");
  }
  const type = first?.exchange.answer?.headers["content-type"] ?? "";
  const hasBody = (first?.exchange.answer?.body ?? "") !== "";
  if (hasBody && type.split(";")[0]?.trim() !== usualType) headers["Content-Type"] = escapeTemplate(type);
  return headers;
}

function spellHeader(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
