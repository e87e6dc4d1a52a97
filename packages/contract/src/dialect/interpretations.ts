// Templates for the interpretations of response shapes in the gap table. They are the defaults for templates that a dialect file leaves out.
import { gaps, type Interpretation, referenceSwitches, type SwitchId, switchIds, type Switches } from "../gaps.ts";
import { isObject, type Json } from "../json.ts";
import type { AnswerTemplate, AnswerTemplates } from "./file.ts";
import templates from "./interpretations.json" with { type: "json" };

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
    deletePage: deleteAnswer(switches["delete-status"], { ...id, deleted: true }),
    trackEvent: templates["event-status"][switches["event-status"]],
    error: templates["error-body"][switches["error-body"]],
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
    ...(!isMinimal && {
      ...templates["domain-form"][switches["domain-form"]],
      ...templates["time-form"][switches["time-form"]],
    }),
    ...(record === "extended" && { version: 1, author: { name: "API" }, tags: [] }),
    ...(switches["page-states"] === "status" && { status: "published" }),
  };
}

const location = { Location: "/api/content/{id:url}" };

function createAnswer({ "create-status": status, "create-body": holds }: Switches, body: Json): AnswerTemplate {
  const isLocated = status === "201-page" || holds === "location";
  return {
    status: status === "201-page" ? 201 : 200,
    ...(isLocated && { headers: location }),
    ...(holds !== "location" && { body }),
  };
}

function updateAnswer(holds: Interpretation<"update-body">, wrap: (body: Json) => Json): AnswerTemplate {
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

function deleteAnswer(holds: Interpretation<"delete-status">, body: Json): AnswerTemplate {
  return { status: holds === "204-empty" ? 204 : 200, ...(holds === "200-body" && { body }) };
}

/** The switches that only choose templates. */
export const shapeSwitches: readonly SwitchId[] = Object.freeze(
  switchIds.filter((id) => {
    const write = (interpretation?: string) =>
      JSON.stringify(
        namedAnswers({ ...referenceSwitches, ...(interpretation !== undefined && { [id]: interpretation }) }),
      );
    return Object.keys(gaps[id].interpretations).some((interpretation) => write(interpretation) !== write());
  }),
);
