// Decides whether a success reports a failure in its body.
import { isObject, type JsonObject } from "../json.ts";
import type { Path } from "./fields.ts";
import { findPagePath } from "./find-page.ts";
import { isNamed, readName } from "./names.ts";
import type { InferRequest } from "./nodes.ts";

/** Names of flags and results that a failure sets to false. */
const success = /success|succeeded|^(?:is)?ok$|^(?:result|status|accepted|acknowledged|deleted)$/;
/** Names of fields that only a failure fills. */
const failure =
  /^(?:\w*errors?|err|err(?:or)?(?:code|no|msg|message|description|response)|fault\w*|exception\w*|violations|fail(?:ed|ures?)|rejected|ret)$/;
/** Names of fields that contain a code or a word for the result. */
const outcome =
  /^(?:(?:res(?:ult|ponse)?|ret(?:urn)?|status|http|biz|api)?code|rc|(?:http)?stat(?:us)?|state|result|type)$/;
const failed =
  /^(?!no[-_]?err)\S*(?:error|fail|invalid|exception|denied|forbidden|not[-_]?found|unauthori|reject|refused|exceeded|limited|_limit|quota|expired|unavailable|time[-_]?out)\S*$|^(?:nok|ko|err|-\d+|[45]\d\d)$/i;
/** Codes and words of successes. */
const succeeded =
  /^(?:|[a-z]{0,3}[-_]?0+|0*1|2\d\d(?:00)?|no[-_]?err\w*|\S*(?:ok|succe\w*|done|completed?|accepted|queued|created|updated|changed|saved|deleted|removed|archived|published|received|recorded|tracked|processed))$/i;
const messageName = /(?:msg|message|reason|detail|description)$/;

/**
 * Whether the body of a success reports a failure: in a flag, a code, a word such as `failed`, or a field for errors. The fields of a page
 * do not count, because a page may be `failed` itself. Fields that `isExpected` knows do not count either.
 */
export function isRefusal(
  body: unknown,
  request: InferRequest = {},
  isExpected: (path: Path) => boolean = () => false,
): boolean {
  if (body === false) return !isExpected([]);
  const failures = listFailures(body).filter((path) => !isExpected(path));
  // In a created or updated page, `deleted` is a state of the page.
  const own = failures.filter((path) => request.sent === undefined || path.at(-1)?.toLowerCase() !== "deleted");
  const page = own.length > 0 ? findPagePath(body, request) : undefined;
  return own.some((path) => page?.every((step, index) => step === path[index]) !== true);
}

/** Lists the paths of fields that report a failure, in the objects around a page or a list. */
function listFailures(value: unknown, path: Path = []): Path[] {
  // An array of one element may be a wrapper.
  if (Array.isArray(value) && value.length === 1) return listFailures(value[0], [...path, "0"]);
  if (!isObject(value)) return [];
  const fields = Object.keys(value);
  return fields.flatMap((name) => {
    const at = [...path, name];
    if (reportsFailure(value, name)) return [at];
    const isAround = isNamed(name, "neutral", "paging", "identity") || /^(?:status|head(?:er)?)$/i.test(name);
    return isAround || fields.length === 1 ? listFailures(value[name], at) : [];
  });
}

function reportsFailure(object: JsonObject, name: string): boolean {
  const value = object[name];
  const text = String(value);
  const { key } = readName(name.replace(/^.*:/, ""));
  if (success.test(key) && /^(?:false|no?)$/i.test(text)) return true;
  if (/^(?:success|ok)$/.test(key) && value === 0) return true;
  if (failure.test(key)) return hasContent(value);
  if (!outcome.test(key) || (typeof value !== "string" && typeof value !== "number")) return false;
  const isCode = /code$|^rc$/.test(key);
  if (failed.test(text) || (isCode && /^[a-z]{0,3}[-_]?[3-9]\d\d+$/i.test(text))) return true;
  // A code that is not known as that of a success is a failure if nothing else is in the object but a message. A status may be any word.
  const isKnown = succeeded.test(text) ? key !== "status" || text !== "0" : !isCode && !/\d{3}/.test(text);
  return !isKnown && isOnlyMessage(object);
}

/** Whether an object has a message that does not name a success, and nothing else but codes. */
export function isOnlyMessage(object: JsonObject): boolean {
  const entries = Object.entries(object);
  if (entries.some(([, value]) => typeof value === "object" && hasContent(value))) return false;
  return entries.some(
    ([name, value]) =>
      messageName.test(readName(name).key) && hasContent(value) && !/\bok\b|succe|成功/i.test(String(value)),
  );
}

function hasContent(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasContent);
  if (typeof value === "number") return hasContent(String(value));
  if (typeof value !== "string") return value === true;
  return !/^(?:0*|2\d\d(?:00)?|null|false|no|none|ok|success\w*)$/i.test(value);
}
