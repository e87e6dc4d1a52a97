// Presents a page from the objects that make it up: documented fields under their names and of their types, the rest as it came.
import type { JsonObject } from "../json.ts";
import type { Asked, FoundPage } from "./answer.ts";
import { readDomains, type Things } from "./domains.ts";
import { ancestorsOf, type Holder, holderOf, innerHolders, member, pointerOf } from "./facts.ts";
import { countFields, readCta, readField } from "./fields.ts";
import * as ids from "./identifier.ts";
import { keys, readName, texts } from "./names.ts";

/** All objects that make up a page: the record and those around it up to the root, then what is inside, of the record before the rest. */
export function partsOf(outer: readonly Holder[], holders: readonly Holder[]): Holder[] {
  const [record] = outer;
  const parts = new Set(outer);
  // What is around an object comes before it.
  for (const holder of holders)
    if (holder.above !== undefined && parts.has(holder.above) && isPart(holder, holder.above)) parts.add(holder);
  const inner = [...parts].slice(outer.length);
  const isInRecord = (holder: Holder) => record !== undefined && ancestorsOf(holder).includes(record);
  return [...outer, ...inner.filter(isInRecord), ...inner.filter((holder) => !isInRecord(holder))];
}

/** Whether an object is a part of the one around it: none of several that could be pages, and no thing with an identifier and a name of its own. */
function isPart(holder: Holder, above: Holder): boolean {
  const names = holder.path.slice(above.path.length).map(readName);
  if (holder.isOneOfSeveral || !names.every(({ isEntered }) => isEntered)) return false;
  if (ids.saysOther(holder) || !ids.isNamedThing(holder) || names.some((name) => name.says("split", "version")))
    return true;
  const id = ids.ownIdOf(above)?.id;
  return countFields(above) === 0 && (id === undefined || id === ids.ownIdOf(holder)?.id);
}

const momentFields = ["created_at", "updated_at"] as const;

/**
 * Presents a page: documented fields under their names and of their types, the rest as it came. `outer` is the record, and
 * the objects around it that belong to the page, the innermost first; `beside` may hold its address.
 */
export function present(
  outer: readonly Holder[],
  holders: readonly Holder[],
  id: ids.FoundId | undefined,
  asked: Asked,
  things?: Things,
  beside: readonly Holder[] = [],
): FoundPage {
  const [record = holderOf({})] = outer;
  const root = outer.at(-1) ?? record;
  const [parts, around] = [partsOf(outer, holders), ancestorsOf(root)];
  const raw = mergeRaw(outer);
  const places: Record<string, string> = { record: pointerOf(record.path) };
  const page: Record<string, unknown> = { ...raw };
  const language = readLanguage([...parts, ...around]);
  const withMoments = [...parts, ...[...new Set([record, root])].flatMap((each) => innerHolders(each, keys.moments))];
  for (const field of [...texts, "cta", ...momentFields] as const) {
    const hints = { sent: asked.sent?.[field], language };
    const among = field.endsWith("_at") ? withMoments : parts;
    let found: ReturnType<typeof readField>;
    const holder = among.find((each) => (found = readField(each, field, hints)) !== undefined);
    if (holder !== undefined && found !== undefined) {
      page[field] = found.value;
      places[field] = pointerOf([...holder.path, found.name]);
    } else if (Object.hasOwn(raw, field) && !(field === "meta_description" && raw[field] === null)) delete page[field];
  }
  const facts = {
    apiHost: asked.apiHost,
    ctaUrl: readCta(page["cta"] ?? asked.sent?.["cta"])?.url,
    slug: page["slug"] ?? asked.sent?.["slug"],
    things,
  };
  const own = readDomains(parts, facts);
  const { domains, path } = own.domains.length > 0 ? own : readDomains([...around, ...beside], facts, true);
  if (path !== undefined) places["domains"] = pointerOf(path);
  if (id !== undefined) places["id"] = id.place;
  else delete page["id"];
  return {
    page: Object.assign(page, { domains }, id === undefined ? {} : { id: id.id }),
    record: Object.keys(raw).length === 0 ? undefined : raw,
    places,
  };
}

/** The account's own language, where anything tells. */
function readLanguage(holders: readonly Holder[]): string | undefined {
  return holders
    .map((holder) => member(holder, keys.language)?.value)
    .find((found): found is string => typeof found === "string" && /^[a-z].{0,18}$/i.test(found));
}

/** All members of what belongs to the page in one object, the inner ones before the outer. */
function mergeRaw([record, above, ...others]: readonly Holder[]): JsonObject {
  if (record === undefined || above === undefined) return record?.value ?? {};
  const { [record.path[above.path.length] ?? ""]: _record, ...outer } = mergeRaw([above, ...others]);
  return { ...outer, ...record.value };
}
