// The readings of a shape that the gap table names, as templates: what a dialect answers where its file has none of its own.
import type { Reading, SwitchId, Switches } from "../gaps.ts";
import { problemMediaType } from "../problem.ts";
import type { AnswerTemplate, AnswerTemplates } from "./file.ts";
import type { Json } from "./holes.ts";

type JsonObject = { [key: string]: Json };

/** The switches that do nothing but name templates. */
export const shapeSwitches: ReadonlySet<SwitchId> = new Set<SwitchId>([
  "page-record",
  "page-states",
  "page-id",
  "list-envelope",
  "list-total",
  "create-status",
  "record-wrapper",
  "delete-status",
  "event-status",
  "error-body",
]);

/** The answers that the readings of a dialect name. */
export function namedAnswers(switches: Switches): AnswerTemplates {
  const { "page-record": record, "create-status": created } = switches;
  return {
    page: {
      ...idNames[switches["page-id"]],
      ...recordFields[record],
      ...(record === "extended" && { version: 1, author: { name: "API" }, tags: [] }),
      ...(switches["page-states"] === "status" && { status: "published" }),
    },
    listedPage: "{page}",
    createPage: { ...createStatuses[created], body: wrappers[switches["record-wrapper"]] },
    listPages: { status: 200, body: listBody(switches) },
    updatePage: { status: 200, body: wrappers[switches["record-wrapper"]] },
    deletePage: deleteAnswers(idNames[switches["page-id"]])[switches["delete-status"]],
    trackEvent: eventAnswers[switches["event-status"]],
    error: errorAnswers[switches["error-body"]],
  };
}

const idNames: Record<Reading<"page-id">, JsonObject> = {
  id: { id: "{id}" },
  _id: { _id: "{id}" },
  page_id: { page_id: "{id}" },
};

const fields: JsonObject = { title: "{title}", content: "{content}", slug: "{slug}" };
const full: JsonObject = {
  ...fields,
  meta_description: "{meta_description}",
  cta: "{cta}",
  domains: "{domains}",
  created_at: "{created_at}",
  updated_at: "{updated_at}",
};

const recordFields: Record<Reading<"page-record">, JsonObject> = {
  full,
  minimal: { ...fields, "meta_description?": "{meta_description}", cta: "{cta}" },
  extended: full,
};

const createStatuses: Record<Reading<"create-status">, AnswerTemplate> = {
  "201-page": { status: 201, headers: { Location: "/api/content/{id:url}" } },
  "200-page": { status: 200 },
};

const wrappers: Record<Reading<"record-wrapper">, Json> = {
  bare: "{page}",
  data: { data: "{page}" },
  page: { page: "{page}" },
};

function listBody({ "list-envelope": envelope, "list-total": total }: Switches): Json {
  const pages = ["{listedPage}"];
  if (envelope === "array") return pages;
  return { [envelope]: pages, ...totals[total], limit: "{limit}", offset: "{offset}" };
}

const totals: Record<Reading<"list-total">, JsonObject> = {
  total: { total: "{total}" },
  none: {},
  total_count: { total_count: "{total}" },
  totalCount: { totalCount: "{total}" },
  "meta.total": { meta: { total: "{total}" } },
  "pagination.total": { pagination: { total: "{total}" } },
};

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
