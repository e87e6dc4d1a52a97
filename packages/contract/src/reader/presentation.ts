// Presents a page from the objects that make it up: documented fields under their names and of their types, the rest as it came.
import type { JsonObject } from "../json.ts";
import type { Asked, FoundPage } from "./answer.ts";
import { readDomains } from "./domains.ts";
import { countFields, documented, type Field, readCta, readField, readLanguage, type TextHints } from "./fields.ts";
import { ancestorsOf, type Holder, holderOf, innerHolders, pointerOf } from "./holder.ts";
import { type FoundId, isNamedThing, readOwnId } from "./identifier.ts";
import { momentKeys, splitWords, versionWords } from "./names.ts";
import { isEntered, isIn, wordsOf } from "./words.ts";

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

/** Whether an object is a part of the one around it: no other thing, and none of several that could be pages. */
function isPart(holder: Holder, above: Holder): boolean {
  const isEnteredAll = holder.path.slice(above.path.length).every(isEntered);
  return isEnteredAll && !holder.isOneOfSeveral && !isOtherThing(holder, above);
}

/** Whether an object inside a page has an identifier and a name of its own, so that it is another thing whatever it is called. */
function isOtherThing(holder: Holder, above: Holder): boolean {
  if (!isNamedThing(holder)) return false;
  const names = holder.path.slice(above.path.length);
  if (names.flatMap(wordsOf).some((word) => isIn(splitWords, word) || isIn(versionWords, word))) return false;
  const id = readOwnId(above)?.id;
  return countFields(above) > 0 || (id !== undefined && id !== readOwnId(holder)?.id);
}

/**
 * Presents a page: documented fields under their names and of their types, the rest as it came. `outer` is the record, and
 * the objects around it that belong to the page, the innermost first.
 */
export function present(
  outer: readonly Holder[],
  holders: readonly Holder[],
  id: FoundId | undefined,
  asked: Asked,
): FoundPage {
  const [record = holderOf({})] = outer;
  const root = outer.at(-1) ?? record;
  const [parts, around] = [partsOf(outer, holders), ancestorsOf(root)];
  const raw = mergeRaw(outer);
  const places: Record<string, string> = { record: pointerOf(record.path) };
  const page: Record<string, unknown> = { ...raw };
  const language = readLanguage([...parts, ...around]);
  const withMoments = [...parts, ...[...new Set([record, root])].flatMap((each) => innerHolders(each, momentKeys))];
  for (const field of [...documented, "cta", "created_at", "updated_at"] as const) {
    const where = field === "created_at" || field === "updated_at" ? withMoments : parts;
    const found = readFirst(where, field, { sent: asked.sent?.[field], language });
    if (found !== undefined) {
      page[field] = found.value;
      places[field] = found.place;
    } else if (Object.hasOwn(raw, field) && !(field === "meta_description" && raw[field] === null)) delete page[field];
  }
  const elsewhere = { apiHost: asked.apiHost, ctaUrl: readCta(page["cta"] ?? asked.sent?.["cta"])?.url };
  const own = readDomains(parts, elsewhere);
  const { domains, path } = own.domains.length > 0 ? own : readDomains(around, elsewhere, true);
  if (path !== undefined) places["domains"] = pointerOf(path);
  if (id !== undefined) places["id"] = id.place;
  else delete page["id"];
  return {
    page: Object.assign(page, { domains }, id === undefined ? {} : { id: id.id }),
    record: Object.keys(raw).length === 0 ? undefined : raw,
    places,
  };
}

/** A documented field in the first of these objects that has it. */
function readFirst(holders: readonly Holder[], field: Field, hints: TextHints) {
  for (const holder of holders) {
    const found = readField(holder, field, hints);
    if (found !== undefined) return { value: found.value, place: pointerOf([...holder.path, found.name]) };
  }
  return undefined;
}

/** All members of what belongs to the page in one object, the inner ones before the outer. */
function mergeRaw([record, above, ...others]: readonly Holder[]): JsonObject {
  if (record === undefined || above === undefined) return record?.value ?? {};
  const { [record.path[above.path.length] ?? ""]: _record, ...outer } = mergeRaw([above, ...others]);
  return { ...outer, ...record.value };
}
