// Presents a page from the objects that make it up: documented fields under their names and of their types, the rest as it came.
import type { JsonObject } from "../json.ts";
import type { Asked, FoundPage } from "./answer.ts";
import { readDomains } from "./domains.ts";
import { countFields, documented, readCta, readField, readLanguage } from "./fields.ts";
import { ancestorsOf, type Holder, innerHolders, pointerOf } from "./holder.ts";
import { type FoundId, isNamedThing, readOwnId } from "./identifier.ts";
import { momentKeys, splitWords, versionWords } from "./names.ts";
import { isEntered, isIn, wordsOf } from "./words.ts";

/** All objects that make up a page: the record and what is around it up to the root, the innermost first, then what is inside, of the record before the rest. */
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
  const inner = [...new Set([record, root])].flatMap((holder) => innerHolders(holder, momentKeys));
  for (const field of [...documented, "cta", "created_at", "updated_at"] as const) {
    const hints = { sent: asked.sent?.[field], language };
    const where = field === "created_at" || field === "updated_at" ? [...parts, ...inner] : parts;
    const holder = where.find((each) => readField(each, field, hints) !== undefined);
    const found = holder && readField(holder, field, hints);
    const isNone = field === "meta_description" && raw[field] === null;
    if (holder !== undefined && found !== undefined) {
      page[field] = found.value;
      places[field] = pointerOf([...holder.path, found.name]);
    } else if (!isNone && Object.hasOwn(raw, field)) delete page[field];
  }
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
