// Tells from the templates that were learned how a service shapes its answers: the reading of every gap about that.
import { type GapId, gaps } from "@landing-page-service/contract";
import type { AnswerTemplate, AnswerTemplates } from "@landing-page-service/contract/dialect";
import { type Finding, found, unseen } from "./finding.ts";
import type { Observations, ProbeName } from "./probes.ts";

/** What the reading is called that a template shows, which comes in lines such as `body.data.0 = {listedPage}`; `$1` is what the pattern has in brackets. */
type Look = readonly [pattern: RegExp, name: string] | ((lines: string) => string | undefined);

/** The template that shows a shape, the request that it was learned from, and how to look at it: the first that fits. */
const shapes: { readonly [Id in GapId]?: readonly [template: keyof AnswerTemplates, by: ProbeName, ...looks: Look[]] } =
  {
    "page-record": ["page", "shortest", nameRecord],
    "domain-form": [
      "page",
      "create",
      [/\{domains\}|\.0\.\S+ = .*\{domain\.|\{domain\.\w+\}\./, "objects"],
      [/\.0 = \{domain\.name/, "names"],
      [/\.0 = .*\{domain\./, "urls"],
      [/\{domain\.name\} = /, "map"],
      [/^domain\.\S+ = .*\{domain\./m, "one"],
    ],
    "time-form": [
      "page",
      "create",
      [/\{created_at:((?:milli)?seconds)\}/, "epoch-$1"],
      [/\{created_at(?::(?:iso|with|without)-[\w-]+)*\}/, "iso"],
    ],
    "page-states": [
      "page",
      "create",
      [/^status = published$/m, "status"],
      [/^(status)[ .]/m, "another $1"],
      [/^/, "none"],
    ],
    "page-id": ["page", "create", [/^(_?id|page_id) = .*\{id/m, "$1"], [/^(\S+) = .*\{id/m, "$1"]],
    "list-envelope": ["listPages", "listOne", [/^body\.0 = /m, "array"], [/^body\.(\S+)\.\S+ = \{listed/m, "$1"]],
    "list-total": ["listPages", "listOne", [/^(?:body|headers)\.(\S+) = .*\{total/m, "$1"], [/^/, "none"]],
    "list-record": ["listedPage", "listOne", [/\{page\}|\{content/, "page"], [/\{/, "summary"]],
    "envelope-depth": [
      "listPages",
      "listOne",
      [/^body\.result\..* = \{listed/m, "two"],
      [/^body(?:\.[^.\s]+){1,2} = \{listed/m, "one"],
    ],
    "record-wrapper": [
      "createPage",
      "create",
      [/^body(?:\.\w+ = .*\{(?:slug|id)| = \{page)/m, "bare"],
      [/^body\.(\S+?)(?:\.\w+ = .*\{(?:slug|id)| = \{page)/m, "$1"],
    ],
    "create-status": ["createPage", "create", [/^status = (\d+)/, "$1-page"]],
    "create-body": [
      "createPage",
      "create",
      [/\{page\}|\{slug\}/, "page"],
      [/^body.* = \{id/m, "id"],
      [/^headers\.Location/m, "location"],
    ],
    "update-body": [
      "updatePage",
      "updateTitle",
      [/\{page\}|\{slug\}/, "page"],
      [/\{changes|\{title\}/, "changes"],
      [/^body\.success = true/m, "flag"],
      [/^status = (\d+-empty)/, "$1"],
    ],
    "delete-status": ["deletePage", "delete", [/^status = (\d+)-(?:text|html)/, "$1-body"], [/^status = (\S+)/, "$1"]],
    "event-status": [
      "trackEvent",
      "event",
      [/^status = (\d+)-body[^]*(?:\{event\.pageId|pageId = )/, "$1-receipt"],
      [/^status = (\S+)/, "$1"],
    ],
    "error-body": [
      "error",
      "invalid-create",
      [/^status = \w+-(empty|text|html)/, "$1"],
      [/^body\.title = [^]*^body\.detail = /m, "problem"],
      [/^body\.error\./m, "error-object"],
      [/^body\.error = .*detail\}/m, "error-string"],
      [/^body\.errors\.0/m, "errors"],
      [/^body\.message = /m, "message"],
    ],
  };

/** How a service shapes its answers, where a gap asks for that. */
export function observeShape(
  id: GapId,
  templates: Partial<AnswerTemplates>,
  { probes }: Observations,
): Finding | undefined {
  const [name, by, ...looks] = shapes[id] ?? [];
  if (name === undefined || by === undefined) return undefined;
  const template = (name === "error" ? templates.errors?.["400"] : undefined) ?? templates[name];
  if (template === undefined) return unseen("no answer shows it", probes[by]);
  const isAnswer = name !== "page" && name !== "listedPage";
  const lines = listLines(isAnswer ? nameKind(template as AnswerTemplate) : template).join("\n"); // why: all others are answers
  const seen = looks
    .values()
    .map((look) => readName(look, lines))
    .find((reading) => reading !== undefined);
  const isKnown = seen !== undefined && Object.hasOwn(gaps[id].readings, seen);
  return found(isKnown ? seen : undefined, seen ?? "in none of the ways that have a name", probes[by]);
}

/** An answer that begins with its status as `204-empty`, `200-body`, `200-text` or `200-html`. */
function nameKind({ status, ...template }: AnswerTemplate): object {
  const kind = (["body", "text", "html"] as const).find((name) => template[name] !== undefined) ?? "empty";
  return { status: `${status}-${kind}`, ...template };
}

/** A line for every value in a template, such as `domains.0.name = {domain.name}`. */
function listLines(template: unknown, way: readonly string[] = []): string[] {
  if (typeof template !== "object" || template === null) return [`${way.join(".")} = ${String(template)}`];
  return Object.entries(template).flatMap(([name, inner]) => listLines(inner, [...way, name]));
}

function readName(look: Look, lines: string): string | undefined {
  if (typeof look === "function") return look(lines);
  const [pattern, name] = look;
  const found = pattern.exec(lines);
  return found ? name.replace("$1", found[1] ?? "") : undefined;
}

function nameRecord(lines: string): string | undefined {
  const places = ["{domain", "{created_at", "{updated_at"].filter((placeholder) => lines.includes(placeholder)).length;
  const isDescribed = /^meta_description = /m.test(lines);
  if (places === 0 && !isDescribed && ["{slug", "{content", "{cta"].every((placeholder) => lines.includes(placeholder)))
    return "minimal";
  if (places < 3 || !isDescribed) return undefined;
  return /^(?!status )\S+ = [^{]*$/m.test(lines) ? "extended" : "full";
}
