import { type Gap, gaps, switchIds } from "../gaps.ts";
import type { Json } from "./facts.ts";

/** Writes the JSON Schema of a dialect file, by which editors complete switches and readings and tell what they mean. */
export function dialectSchema(): { [key: string]: Json } {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Dialect of a landing page service",
    ...object({
      $schema: { type: "string" },
      summary: { type: "string", description: "What kind of service speaks like this." },
      switches: object(Object.fromEntries(switchIds.map((id) => [id, readingSchema(gaps[id])]))),
      answers: object({
        page: template("One page, for others to name as {page}."),
        listedPage: template("One page of a list, for a list to name as {listedPage}."),
        createPage: answer("Answer to a create."),
        listPages: answer("Answer to a list."),
        emptyList: answer("Answer to a list that holds no page; as listPages unless given."),
        emptyAccount: answer("Answer to a list when there is no page at all; as emptyList unless given."),
        updatePage: answer("Answer to an update."),
        deletePage: answer("Answer to a delete."),
        trackEvent: answer("Answer to an event."),
        error: answer("Every error that errors does not name."),
        errors: {
          type: "object",
          description: "Errors that look otherwise, by status; malformed is a 400 that blames the body as a whole.",
          propertyNames: { pattern: "^(?:[45]\\d\\d|malformed)$" },
          additionalProperties: { $ref: "#/$defs/answer" },
        },
      }),
      varies: {
        type: "array",
        items: { type: "string" },
        description: "Places at which not all answers are as the templates have them: check --compare leaves them out.",
      },
    }),
    $defs: {
      answer: {
        ...object({
          status: { type: "integer", minimum: 200, maximum: 599 },
          headers: { type: "object", additionalProperties: { type: "string" } },
          body: template(
            "The body: JSON with placeholders such as {title}, or {origin} in a link to the service itself.",
          ),
          text: { type: "string", description: "The body as plain text with placeholders." },
          html: { type: "string", description: "The body as HTML with placeholders." },
        }),
        description: "At most one of body, text and html; without them the answer is empty.",
      },
    },
  };
}

function object(properties: { [name: string]: Json }): { [key: string]: Json } {
  return { type: "object", additionalProperties: false, properties };
}

function readingSchema({ question, readings }: Gap): Json {
  const each = Object.entries(readings).map(([name, text]): Json => ({ const: name, description: text }));
  return { description: question, oneOf: each };
}

function template(description: string): Json {
  return { description };
}

function answer(description: string): Json {
  return { $ref: "#/$defs/answer", description };
}
