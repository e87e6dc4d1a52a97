// Holds a template against a value that a service answered: what stands at each place, and what ought to.
import { isObject } from "@landing-page-service/contract";
import {
  type Facts,
  hasFilling,
  type HoleName,
  holes,
  listSubjects,
  readTemplate,
  renderTemplate,
  renderText,
  type TemplateMember,
  type TemplateNode,
} from "@landing-page-service/contract/dialect";
import { keep } from "./learn.ts";
import { write } from "./telling.ts";

type Leaf = TemplateNode & { kind: "constant" | "hole" | "text" };

/** One look at a place. */
export interface Look {
  /** Where it is, such as `listPages/body/data/0/title`. */
  readonly place: string;
  /** What ought to be there. */
  readonly expected: string;
  /** What is there instead; absent where it is as it ought to be. */
  readonly found?: string;
  /** Whether what is known otherwise of the answer would be fine with it: of a list, that no more pages follow. */
  readonly isDoubtful?: true;
}

/** Where a value stands, and what is known of it. */
export interface Position {
  readonly place: string;
  readonly facts: Facts;
  /** Whether identifiers are numbers, where they are not written as text. */
  readonly hasNumberIds: boolean;
  /** Whether the list has pages. */
  readonly hasPages: boolean;
  /** What may be known of one page of the list, the likeliest first; nothing where it is of somebody else. */
  readonly knowPage: (value: unknown) => readonly Facts[];
}

/** Looks at every place of a template that a value should have, and at what else the value has. */
export function match(node: TemplateNode, value: unknown, at: Position): Look[] {
  if (node.kind === "each") return node.key === undefined ? matchEach(node, value, at) : matchMap(node, value, at);
  if (node.kind === "array") return matchArray(node.items, value, at);
  if (node.kind === "object") return matchObject(node.members, value, at);
  if (node.kind !== "optional") return matchLeaf(node, value, at);
  return isFilled(node, at) ? match(node.item, value, at) : [look(at, "null", value, value === null)];
}

/** The looks of the likeliest way to read an answer; where another one than the first fits better, what speaks against the first is doubtful. */
export function matchBest(known: readonly Facts[], run: (facts: Facts) => Look[]): Look[] {
  const tries = known.map(run);
  const [first = []] = tries;
  const [best = []] = tries.toSorted((one, other) => countWrong(one) - countWrong(other));
  if (best === first) return first;
  return best.concat(first.flatMap((one) => (one.found === undefined ? [] : [{ ...one, isDoubtful: true }])));
}

function countWrong(looks: readonly Look[]): number {
  return looks.filter(({ found }) => found !== undefined).length;
}

function look({ place }: Position, expected: string, value: unknown, isRight: boolean): Look {
  return isRight ? { place, expected } : { place, expected, found: describe(value) };
}

function isFilled(node: TemplateNode, { facts, hasPages }: Position): boolean {
  return hasFilling(node, facts, hasPages && facts.page === undefined ? [anyPage] : []);
}

const anyDomain = { name: "domain.example", url: "https://domain.example/page" };
const anyPage: NonNullable<Facts["page"]> = {
  id: "1",
  title: "",
  content: "",
  slug: "",
  meta_description: "",
  cta: { type: "", label: "", url: "" },
  domains: [anyDomain, anyDomain],
  created_at: "",
  updated_at: "",
};

/** Domains that a page may be on where no answer tells any: their names are not those of others. */
export const unknownDomains: NonNullable<Facts["page"]>["domains"] = [
  { name: "one.example", url: "https://one.example/page" },
  { name: "other.example", url: "https://other.example/page" },
];

/** What was sent is there word for word; of all else, the type is the same. */
const sentHoles: ReadonlySet<HoleName> = new Set(["title", "content", "slug", "cta.label", "cta.url"]);

function matchLeaf(node: Leaf, value: unknown, at: Position): Look[] {
  const known = valueOf(node, at);
  // An object that a hole stands for, such as the changes, has each of its members.
  if (typeof known === "object" && known !== null) return match(toNode(known), value, at);
  const expected = expect(node, at);
  if (describe(value) !== describe(known)) return [look(at, expected, value, false)];
  const isSent = node.kind === "hole" && node.formats.length === 0 && sentHoles.has(node.hole) && known !== "";
  return [
    isSent && value !== known ? { place: at.place, expected, found: "another text" } : { place: at.place, expected },
  ];
}

/** What a leaf of a template would be. */
function valueOf(node: Leaf, { facts, hasNumberIds }: Position): unknown {
  const value = renderTemplate(node, facts);
  if (node.kind !== "hole" || node.hole !== "id" || node.formats.length > 0) return value;
  return hasNumberIds ? Number(value) : String(value);
}

function toNode(value: unknown): TemplateNode {
  return readTemplate(keep(value), { path: "", subjects: [], parts: {}, repeats: [] });
}

function matchObject(members: readonly TemplateMember[], value: unknown, at: Position): Look[] {
  if (!isObject(value)) return [look(at, "an object", value, false)];
  const known = new Set<string>();
  const looks = listMembers(members, at).flatMap(({ name, value: inner }) => {
    const [own, within] = [renderText(name, at.facts), { ...at, place: `${at.place}/${write(name)}` }];
    known.add(own);
    // A page may be on fewer domains the next time.
    if (inner.kind === "hole" && holes[inner.hole].about === "alias" && value[own] === undefined) return [];
    return Object.hasOwn(value, own)
      ? match(inner, value[own], within)
      : [look(within, expect(inner, at), undefined, false)];
  });
  const others = Object.entries(value).filter(([name]) => !known.has(name));
  const more = others.map(([name, inner]) => look({ ...at, place: `${at.place}/${name}` }, "nothing", inner, false));
  return [look(at, "an object", value, true), ...looks, ...more];
}

/** The members that an object should have, those of what is put in its place among them. */
function listMembers(members: readonly TemplateMember[], at: Position): { name: TemplateNode; value: TemplateNode }[] {
  return members.flatMap(({ name, isOptional, needs, value }) => {
    if (isOptional && !isFilled(needs ?? value, at)) return [];
    if (name !== undefined) return [{ name, value }];
    const inner = value.kind === "hole" ? toNode(valueOf(value, at)) : value;
    return inner.kind === "object" ? listMembers(inner.members, at) : [];
  });
}

function matchArray(items: readonly TemplateNode[], value: unknown, at: Position): Look[] {
  if (!Array.isArray(value)) return [look(at, "an array", value, false)];
  const due = [...items.entries()].filter(([, item]) => item.kind !== "optional" || isFilled(item, at));
  if (value.length === 0 && due.length > 0) return [look(at, "an array", value, false)];
  // Of what is always the same, such as tags, there may be more or fewer the next time.
  const isConstant = items.every(hasNoHole);
  const looks = due.flatMap(([index, item], place) => {
    const within = { ...at, place: `${at.place}/${index}` };
    if (place < value.length) return match(item, value[place], within);
    return isConstant ? [] : [look(within, expect(item, at), undefined, false)];
  });
  const more: unknown[] = isConstant ? [] : value.slice(due.length);
  const others = more.map((item, index) =>
    look({ ...at, place: `${at.place}/${items.length + index}` }, "nothing", item, false),
  );
  return [look(at, "an array", value, true), ...looks, ...others];
}

function hasNoHole(node: TemplateNode): boolean {
  if (node.kind === "object")
    return node.members.every(({ name, value }) => name?.kind === "constant" && hasNoHole(value));
  return node.kind === "array" ? node.items.every(hasNoHole) : node.kind === "constant";
}

type Each = TemplateNode & { kind: "each" };

/** What is known of each of the things that an array or a map repeats for. */
function knowEach({ of }: Each, { facts, hasPages }: Position): readonly Facts[] {
  return of === "page" ? (hasPages ? [facts] : []) : listSubjects(of, facts);
}

/** Where there are other things than those that are known, the first of these stands for all. */
function knowOne({ of }: Each, value: unknown, index: number, each: readonly Facts[], at: Position): readonly Facts[] {
  if (of === "page") return at.knowPage(value);
  return [each[index] ?? each[0] ?? { ...at.facts, domain: anyDomain, alias: anyDomain }];
}

function matchEach(node: Each, value: unknown, at: Position): Look[] {
  if (!Array.isArray(value)) return [look(at, "an array", value, false)];
  const each = knowEach(node, at);
  if (value.length === 0) return [look(at, each.length > 0 ? "an array" : "an empty array", value, each.length === 0)];
  const within = { ...at, place: `${at.place}/0` };
  const items = value.flatMap((item, index) =>
    matchBest(knowOne(node, item, index, each, at), (facts) => match(node.item, item, { ...within, facts })),
  );
  return [look(at, "an array", value, true), ...items, ...findMissing(node, value.length, each, within)];
}

/** Of changes and domains there are as many as are known. */
function findMissing({ of, key, item }: Each, count: number, each: readonly Facts[], at: Position): Look[] {
  const expected = key === undefined ? expect(item, { ...at, facts: each[0] ?? at.facts }) : expectNamed(key);
  return of !== "page" && of !== "field" && count < each.length ? [look(at, expected, undefined, false)] : [];
}

function matchMap(node: Each, value: unknown, at: Position): Look[] {
  const { key = node.item } = node;
  if (!isObject(value)) return [look(at, "an object", value, false)];
  const entries = Object.entries(value);
  // A refusal that blames no field has no entry in a map of wrong fields.
  const each = knowEach(node, at).filter((facts) => node.of === "page" || renderText(key, facts) !== "");
  const within = { ...at, place: `${at.place}/${write(key)}` };
  const expected = expectNamed(key);
  if (entries.length === 0 && each.length > 0) return [look(within, expected, undefined, false)];
  const looks = entries.flatMap(([name, item], index) => {
    const named = each.filter((facts) => renderText(key, facts) === name);
    const known = named.length > 0 ? named : knowOne(node, { [name]: item }, index, each, at);
    return matchBest(known, (facts) => {
      // Of a refusal that blames nobody knows what, every name will do.
      const isUnknown = unknownDomains.some((one) => one === (facts.domain ?? facts.alias));
      const isNamed = isUnknown || (node.of === "field" && each.length === 0) || renderText(key, facts) === name;
      const own = isNamed
        ? { place: within.place, expected }
        : { place: within.place, expected, found: "members named otherwise" };
      return [own, ...match(node.item, item, { ...within, facts })];
    });
  });
  return [look(at, "an object", value, true), ...looks, ...findMissing(node, entries.length, each, within)];
}

/** What the members of a map are called, in words. */
function expectNamed(key: TemplateNode): string {
  return `members named ${write(key)}`;
}

/** What a template would write, in words. */
function expect(node: TemplateNode, at: Position): string {
  if (node.kind === "optional") return isFilled(node, at) ? expect(node.item, at) : "null";
  if (node.kind === "array" || (node.kind === "each" && node.key === undefined)) return "an array";
  if (node.kind === "object" || node.kind === "each") return "an object";
  const type = describe(valueOf(node, at));
  return node.kind === "hole" && type !== "null" ? `"${write(node)}", ${type}` : type;
}

/** What a value is, in words. */
function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
