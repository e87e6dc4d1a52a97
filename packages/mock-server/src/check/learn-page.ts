// Learns how a service writes a page: one template for all answers that write it alike.
import { isObject } from "@landing-page-service/contract";
import type { Json } from "@landing-page-service/contract/dialect";
import { readPageIn, valueAt } from "./exchange.ts";
import type { Sample } from "./explain-text.ts";
import { type Lesson, learnTemplate } from "./learn.ts";
import { bodiesOf, type Sight } from "./samples.ts";

/** Objects that answers show of a page. */
export interface Records {
  /** The way to them, such as `createPage/body/data`. */
  readonly path: string;
  readonly samples: readonly Sample[];
}

/** What may be the page in answers that are about one each: what has its fields, or what is around that. */
export function seeRecords(name: string, sights: readonly Sight[]): Records[] {
  const status = sights[0]?.exchange.answer?.status;
  const alike = sights.filter(({ exchange }) => exchange.answer?.status === status);
  const [place, ...others] = new Set(alike.map(({ exchange }) => readPageIn(exchange)?.places["record"]));
  if (place === undefined || others.length > 0) return [];
  const bodies = bodiesOf(alike);
  const steps = place.split("/");
  return steps.flatMap((_, outwards) => {
    const around = steps.slice(0, steps.length - outwards).join("/");
    const samples = bodies.map(({ value, facts }) => ({ value: valueAt(value, around), facts }));
    return samples.every(({ value }) => isObject(value)) ? [{ path: pathAt(name, around), samples }] : [];
  });
}

/** The way to a place in the body of an answer. */
export function pathAt(name: string, pointer: string): string {
  return `${name}/body${pointer.slice(1).replaceAll("~1", "/").replaceAll("~0", "~")}`;
}

interface Learned extends Records {
  readonly template: Json;
  /** What the template does not explain, by the way to it from where the page begins. */
  readonly unexplained: ReadonlyMap<string, unknown>;
}

/**
 * The template of a page, and the ways to it; `undefined` where no answer shows one. `created` and all of `others` are what
 * may be the page in one answer each, `listed` are those that lists show.
 */
export function learnPage(
  created: readonly Records[],
  listed: Records | undefined,
  others: readonly (readonly Records[])[],
  lesson: Omit<Lesson, "path">,
): { readonly page: Json; readonly paths: ReadonlySet<string> } | undefined {
  const learn = (records: Records) => learnQuietly(records, lesson);
  const inList = listed && learn(listed);
  const inCreate = created.map(learn);
  const joined = inList && inCreate.map((one) => join(one, inList, lesson)).find((one) => one !== undefined);
  let whole = joined ?? [...inCreate.slice(0, 1), ...(inList === undefined ? [] : [inList])].find(isPage);
  if (whole === undefined) return undefined;
  const paths = new Set([whole.path, ...(joined === undefined || listed === undefined ? [] : [listed.path])]);
  for (const records of others)
    for (const one of records) {
      const wider = join(whole, learn(one), lesson);
      if (wider === undefined) continue;
      paths.add(one.path);
      whole = wider;
      break;
    }
  for (const [way, value] of whole.unexplained) lesson.note(whole.path + way, value);
  return { page: whole.template, paths };
}

function isPage({ template }: Learned): boolean {
  return JSON.stringify(template).includes("{slug}");
}

/** One template for both; `undefined` where it would explain less than each by itself. */
function join(one: Learned, other: Learned, lesson: Omit<Lesson, "path">): Learned | undefined {
  const both = learnQuietly({ path: one.path, samples: [...one.samples, ...other.samples] }, lesson);
  const isKnown = (way: string) => one.unexplained.has(way) && other.unexplained.has(way);
  return [...both.unexplained.keys()].every(isKnown) ? both : undefined;
}

function learnQuietly({ path, samples }: Records, lesson: Omit<Lesson, "path">): Learned {
  const unexplained = new Map<string, unknown>();
  const note = (place: string, value: unknown) => {
    const way = place.slice(path.length);
    if (!unexplained.has(way)) unexplained.set(way, value);
  };
  return { path, samples, template: learnTemplate(samples, { ...lesson, path, note }), unexplained };
}
