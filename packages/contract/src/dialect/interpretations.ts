// The interpretations of response shapes in the gap table, as templates: the defaults for templates that a dialect file leaves out.
import { gaps, type Reading, referenceSwitches, type SwitchId, switchIds, type Switches } from "../gaps.ts";
import { isObject, type Json } from "../json.ts";
import { problemMediaType } from "../problem.ts";
import type { AnswerTemplate, AnswerTemplates } from "./file.ts";

type JsonObject = { [key: string]: Json };

/** Makes the templates that the switches of a dialect choose. */
export function namedAnswers(switches: Switches): AnswerTemplates {
  const id = { [switches["page-id"]]: "{id}" };
  const around = (body: Json): Json => (switches["envelope-depth"] === "two" ? { result: body } : body);
  const wrapper = switches["record-wrapper"];
  const wrap = (body: Json): Json => (wrapper === "bare" ? body : { [wrapper]: body });
  return {
    page: pageTemplate(switches, id),
    listedPage: switches["list-record"] === "page" ? "{page}" : { ...id, title: "{title}", slug: "{slug}" },
    createPage: createAnswer(switches, around(wrap(switches["create-body"] === "id" ? id : "{page}"))),
    listPages: { status: 200, body: around(listBody(switches)) },
    updatePage: updateAnswer(switches["update-body"], (body) => around(wrap(body))),
    deletePage: deleteAnswers(id)[switches["delete-status"]],
    trackEvent: eventAnswers[switches["event-status"]],
    error: errorAnswers[switches["error-body"]],
  };
}

function pageTemplate(switches: Switches, id: JsonObject): Json {
  const { "page-record": record } = switches;
  const isMinimal = record === "minimal";
  return {
    ...id,
    title: "{title}",
    content: "{content}",
    slug: "{slug}",
    ...(isMinimal ? { "meta_description?": "{meta_description}" } : { meta_description: "{meta_description}" }),
    cta: "{cta}",
    ...(!isMinimal && { ...domainForms[switches["domain-form"]], ...timeForms[switches["time-form"]] }),
    ...(record === "extended" && { version: 1, author: { name: "API" }, tags: [] }),
    ...(switches["page-states"] === "status" && { status: "published" }),
  };
}

const domainForms: Record<Reading<"domain-form">, JsonObject> = {
  objects: { domains: "{domains}" },
  names: { domains: ["{domain.name}"] },
  urls: { domains: ["{domain.url}"] },
  one: { domain: { name: "{domain.name}", url: "{domain.url}" } },
  map: { domains: { "{domain.name}": "{domain.url}" } },
};

const timeForms: Record<Reading<"time-form">, JsonObject> = {
  iso: { created_at: "{created_at}", updated_at: "{updated_at}" },
  "epoch-seconds": { created_at: "{created_at:seconds}", updated_at: "{updated_at:seconds}" },
  "epoch-milliseconds": { created_at: "{created_at:milliseconds}", updated_at: "{updated_at:milliseconds}" },
};

const location = { Location: "/api/content/{id:url}" };

function createAnswer({ "create-status": status, "create-body": holds }: Switches, body: Json): AnswerTemplate {
  const isLocated = status === "201-page" || holds === "location";
  return {
    status: status === "201-page" ? 201 : 200,
    ...(isLocated && { headers: location }),
    ...(holds !== "location" && { body }),
  };
}

function updateAnswer(holds: Reading<"update-body">, wrap: (body: Json) => Json): AnswerTemplate {
  if (holds === "204-empty") return { status: 204 };
  if (holds === "200-empty") return { status: 200 };
  if (holds === "flag") return { status: 200, body: { success: true } };
  return { status: 200, body: wrap(holds === "page" ? "{page}" : "{changes}") };
}

/** Makes the body of a list. The names of the interpretations are the names of the fields. */
function listBody({ "list-envelope": envelope, "list-total": total }: Switches): Json {
  const pages = ["{listedPage}"];
  if (envelope === "array") return pages;
  const steps = total === "none" ? [] : total.split(".");
  const counted = steps.reduceRight<Json>((inner, step) => ({ [step]: inner }), "{total}");
  return { [envelope]: pages, ...(isObject(counted) && counted), limit: "{limit}", offset: "{offset}" };
}

function deleteAnswers(id: JsonObject): Record<Reading<"delete-status">, AnswerTemplate> {
  return {
    "204-empty": { status: 204 },
    "200-body": { status: 200, body: { ...id, deleted: true } },
    "200-empty": { status: 200 },
  };
}

const receipt: JsonObject = { id: "{event.id}", pageId: "{event.pageId}", timestamp: "{event.timestamp}" };

const eventAnswers: Record<Reading<"event-status">, AnswerTemplate> = {
  "202-receipt": { status: 202, body: receipt },
  "200-receipt": { status: 200, body: receipt },
  "201-receipt": { status: 201, body: receipt },
  "204-empty": { status: 204 },
  "200-text": { status: 200, text: "ok" },
};

const errorAnswers: Record<Reading<"error-body">, AnswerTemplate> = {
  problem: {
    headers: { "Content-Type": problemMediaType },
    body: {
      type: "about:blank",
      title: "{reason}",
      status: "{status}",
      detail: "{detail}",
      "errors?": [{ pointer: "{error.pointer}", detail: "{error.detail}" }],
      request_id: "{request_id}",
    },
  },
  "error-object": { body: { error: { type: "{code}", message: "{detail}" } } },
  "error-string": { body: { error: "{detail}" } },
  message: { body: { message: "{detail}" } },
  errors: { body: { errors: [{ "field?": "{error.field}", message: "{error.detail}" }] } },
  text: { text: "{detail}" },
  html: {
    html: "<!doctype html>\n<html><head><title>{status} {reason}</title></head>\n<body><h1>{status} {reason}</h1><p>{detail}</p></body></html>\n",
  },
  empty: {},
};

/** The switches that only choose templates. */
export const shapeSwitches: readonly SwitchId[] = Object.freeze(
  switchIds.filter((id) => {
    const write = (reading?: string) =>
      JSON.stringify(namedAnswers({ ...referenceSwitches, ...(reading !== undefined && { [id]: reading }) }));
    return Object.keys(gaps[id].readings).some((reading) => write(reading) !== write());
  }),
);
