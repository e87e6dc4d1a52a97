// Presents a page from the objects that make it up: documented fields under their names and of their types, the rest as it came.
import type { JsonObject } from "../json.ts";
import type { Asked, FoundPage } from "./answer.ts";
import { readDomains } from "./domains.ts";
import { countFields, readCta, readFlatCta, readLanguage, readText, readTime } from "./fields.ts";
import { ancestorsOf, type Holder, innerHolders, member, pointerOf } from "./holder.ts";
import { type FoundId, isNamedThing, readOwnId } from "./identifier.ts";
import { fieldKeys, momentKeys, splitWords, timeKeys, versionWords } from "./names.ts";
import { isEntered, isIn, wordsOf } from "./words.ts";

/** The documented fields that are texts. */
export const documented = ["title", "content", "slug", "meta_description"] as const;

/** All objects that make up the page: the record, what is around it up to the root, what is inside. */
export function partsOf(root: Holder, record: Holder, holders: readonly Holder[]): Holder[] {
  const way = [record, ...ancestorsOf(record)];
  const outer = way.slice(0, way.indexOf(root) + 1);
  const inner = holders.filter((holder) => !outer.includes(holder) && belongsTo(holder, outer));
  const isInRecord = (holder: Holder) => ancestorsOf(holder).includes(record);
  return [...outer, ...inner.filter(isInRecord), ...inner.filter((holder) => !isInRecord(holder))];
}

/** Whether an object is a part of one of these: no other thing, none of several that could be pages, and in none of those. */
export function belongsTo(holder: Holder, whole: readonly Holder[]): boolean {
  if (whole.includes(holder)) return true;
  const { above } = holder;
  if (above === undefined || isOtherThing(holder, above)) return false;
  if (holder.isOneOfSeveral) return false;
  return holder.path.slice(above.path.length).every(isEntered) && belongsTo(above, whole);
}

/** Whether an object inside a page has an identifier and a name of its own, so that it is another thing whatever it is called. */
function isOtherThing(holder: Holder, above: Holder): boolean {
  if (!isNamedThing(holder)) return false;
  const names = holder.path.slice(above.path.length);
  if (names.flatMap(wordsOf).some((word) => isIn(splitWords, word) || isIn(versionWords, word))) return false;
  const id = readOwnId(above)?.id;
  return countFields(above) > 0 || (id !== undefined && id !== readOwnId(holder)?.id);
}

/** Presents a page from its parts, the record first: documented fields under their names and of their types, the rest as it came. */
export function present(
  parts: readonly Holder[],
  root: Holder,
  id: FoundId | undefined,
  asked: Asked,
  around: readonly Holder[],
): FoundPage {
  const [record = root] = parts;
  const raw = mergeRaw(record, root);
  const places: Record<string, string> = { record: pointerOf(record.path) };
  const page: Record<string, unknown> = { ...raw };
  const language = readLanguage([...parts, ...around]);
  const put = (
    field: string,
    read: (value: unknown, holder: Holder) => unknown,
    keys: readonly string[],
    where: readonly Holder[],
  ) => {
    for (const holder of where) {
      const found = member(holder, keys);
      const value = found === undefined ? undefined : read(found.value, holder);
      if (found === undefined || value === undefined) continue;
      page[field] = value;
      places[field] = pointerOf([...holder.path, found.name]);
      return;
    }
    const isNone = field === "meta_description" && raw[field] === null;
    if (!isNone && Object.hasOwn(raw, field)) delete page[field];
  };
  for (const field of documented)
    put(field, (value) => readText(value, { sent: asked.sent?.[field], language }), fieldKeys[field], parts);
  put("cta", readCta, fieldKeys.cta, parts);
  const flat = page["cta"] === undefined ? parts.map(readFlatCta).find((cta) => cta !== undefined) : undefined;
  if (flat !== undefined) page["cta"] = flat;
  const inner = [...new Set([record, root])].flatMap((holder) => innerHolders(holder, momentKeys));
  for (const field of ["created_at", "updated_at"] as const)
    put(field, (value) => readTime(value), timeKeys[field], [...parts, ...inner]);
  const elsewhere = { apiHost: asked.apiHost, ctaUrl: readCta(page["cta"] ?? asked.sent?.["cta"])?.url };
  const own = readDomains(parts, elsewhere);
  const { domains, path } = own.domains.length > 0 ? own : readDomains(around, elsewhere, true);
  if (path !== undefined) places["domains"] = pointerOf(path);
  if (id !== undefined) places["id"] = id.place;
  else delete page["id"];
  return {
    page: Object.assign(page, { domains }, id === undefined ? {} : { id: id.id }),
    record: record.members.size === 0 && Object.keys(raw).length === 0 ? undefined : raw,
    places,
  };
}

/** All members of what belongs to the page in one object, the inner ones before the outer. */
function mergeRaw(record: Holder, root: Holder): JsonObject {
  const { above } = record;
  if (record === root || above === undefined) return record.value;
  const way = record.path[above.path.length];
  const { [way ?? ""]: _record, ...outer } = mergeRaw(above, root);
  return { ...outer, ...record.value };
}
