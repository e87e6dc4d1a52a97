// What a visit to a service is: the requests by name, the pages as they are sent, and what was seen.
import { createdId, type Exchange, hasSucceeded, isNumberId, readListIn } from "./exchange.ts";
import type { Call, CheckClient } from "./client.ts";
import { type View, walk } from "./listing.ts";

/** What a visit needs beside the client that sends its requests. */
export interface VisitOptions {
  /** Slug that every page of this visit begins with. */
  readonly prefix: string;
  readonly now: () => number;
  /** Whether to go on when the account already holds pages. */
  readonly yes: boolean;
  /** Whether to make enough pages to see the default limit at work. */
  readonly thorough: boolean;
  readonly hasOtherKey: boolean;
  readonly onPhase: (phase: string) => void;
}

/** A page as the visit sends it. */
export interface SentPage {
  title: string;
  content: string;
  slug: string;
  meta_description: string;
  cta: { type: string; label: string; url: string };
}

/** Names of the requests of a visit. */
export type Step =
  | `list${"" | "Default" | "One" | "Next" | "Past" | "Huge" | "Filtered"}`
  | ("create" | "repeat" | "twin" | "shortest" | "unknownPath" | "wrongMethod")
  | `update${"Title" | "Rest" | "Cta" | "Nothing" | "UnknownField" | "CtaType" | "SlugFormat" | "TooLong"}`
  | `update${"PlainText" | "Description" | "Deleted" | "Other"}`
  | ("delete" | "deleteDeleted" | "event" | "eventOther" | "eventUnknown")
  | `malformed-${"create" | "update" | "event"}`
  | `invalid-${"list" | "create" | "update" | "event"}`
  | `without-${"title" | "content" | "slug" | "cta"}`
  | `other${"List" | "Update"}`
  | `${"anonymous" | "wrongKey"}-${"list" | "create" | "update" | "delete" | "event"}`;

/** All that was seen: what the statements and gaps are judged by. */
export interface Visit {
  /** The pages as they were sent: the full one, what its two updates changed, and the one without a description. */
  readonly sent: {
    readonly full: SentPage;
    readonly shortest: Omit<SentPage, "meta_description">;
    readonly rest: Omit<SentPage, "title">;
    readonly title: string;
  };
  /** Identifiers of the full page, of another with the same fields, and of the one without a description. */
  fullId: string | undefined;
  twinId: string | undefined;
  shortestId: string | undefined;
  /** Identifier of the full page while its slug was rewritten, where it follows from the slug. */
  movedId: string | undefined;
  /** The answer to each request that was sent. */
  readonly steps: Partial<Record<Step, Exchange>>;
  /** Lists of all pages of the visit: after they were made, after each of the updates that count, after the delete. */
  readonly views: { made?: View; titled?: View; rewritten?: View; partial?: View; deleted?: View };
}

/** Whether the account had no pages before the visit, as far as its list could be read. */
export function wasEmpty({ steps }: Visit): boolean {
  return (readListIn(steps.list)?.pages.length ?? 0) === 0;
}

/** Whether the service answers 404 to a list without pages: it did before there were any, and then no longer. */
export function isEmptyNotFound({ steps, views }: Visit): boolean {
  return steps.list?.answer?.status === 404 && hasSucceeded(views.made?.exchanges[0]);
}

/** Identifier of the page that the repeated create gave: that of the first one where both tell the same, whatever the listing calls it. */
export function repeatedIdOf({ steps, fullId }: Visit): string | undefined {
  const id = createdId(steps.repeat);
  return id === createdId(steps.create) ? id && fullId : id;
}

/** The identifiers of all pages that were seen. */
function idsOf({ fullId, twinId, shortestId, movedId, views }: Visit): string[] {
  const listed = views.made?.pages.map(({ page }) => page.id) ?? [];
  return [fullId, twinId, shortestId, movedId, ...listed].filter((id) => id !== undefined);
}

/** Whether identifiers are numbers: an opaque one may have nothing but digits by chance. */
export function hasNumberIds(visit: Visit): boolean {
  return idsOf(visit).every(isNumberId);
}

/** Sends the requests of one visit, and keeps what comes of them. */
export class Visitor {
  readonly visit: Visit;
  readonly client: CheckClient;
  readonly options: VisitOptions;

  constructor(client: CheckClient, options: VisitOptions) {
    this.client = client;
    this.options = options;
    this.visit = startVisit(options);
  }

  /** Sends one request and keeps what came of it under a name. */
  async step(name: Step, line: string, body?: unknown, call?: Call): Promise<Exchange> {
    return (this.visit.steps[name] = await this.client.send(line, body, call));
  }

  /** Reads the listing until the wanted pages are seen, or it ends. */
  async view(wanted: readonly (string | undefined)[] = [this.visit.fullId, this.visit.shortestId]): Promise<View> {
    return walk(this.client, wanted);
  }
}

/** A visit of which nothing was seen yet. */
function startVisit({ prefix }: VisitOptions): Visit {
  // Every text is one that nobody else has: wherever it stands in an answer, it is there because it was sent.
  const mark = prefix.slice(prefix.lastIndexOf("-") + 1);
  const full: SentPage = {
    title: `Landing page check ${mark}`,
    // Of two trades: a service that places pages by what they say may put this one on several domains.
    content: `Made by conformance check ${mark}, which deletes it when it ends. Running shoes, and bread from a bakery.`,
    slug: prefix,
    meta_description: `Described by conformance check ${mark}`,
    cta: { type: "button", label: `Go to ${mark}`, url: `https://example.com/landing-page-check/${mark}` },
  };
  const rest: Omit<SentPage, "title"> = {
    content: `Rewritten by conformance check ${mark}.`,
    slug: `${prefix}-rewritten`,
    meta_description: `Description rewritten by ${mark}`,
    cta: { type: "button", label: `Go on to ${mark}`, url: `https://example.com/rewritten/${mark}` },
  };
  const shortest: Omit<SentPage, "meta_description"> = {
    title: `Shorter landing page ${mark}`,
    content: `Made without a description by conformance check ${mark}.`,
    slug: `${prefix}-short`,
    cta: { type: "button", label: `Go shortly to ${mark}`, url: `https://example.com/shorter/${mark}` },
  };
  return {
    sent: { full, shortest, rest, title: `Landing page check ${mark}, retitled` },
    steps: {},
    views: {},
    fullId: undefined,
    twinId: undefined,
    shortestId: undefined,
    movedId: undefined,
  };
}

/** The same visit, every long identifier of digits shortened wherever it stands: what was text stays text, what was a number one. */
export function shortenIds<Value extends readonly [Visit, ...unknown[]]>(said: Value): Value {
  const long = idsOf(said[0]).filter((id) => isNumberId(id) && id.length > 15);
  if (long.length === 0) return said;
  const mark = new RegExp(`(?<!\\d)(?:${long.join("|")})(?!\\d)`, "g");
  // One exchange stays one exchange, wherever it is named.
  const known = new Map<object, unknown>();
  const shorten = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll(mark, (id) => `9${id.slice(-14)}`);
    if (typeof value !== "object" || value === null) return value;
    if (!known.has(value)) {
      const entries = Object.entries(value).map(([name, inner]) => [name, shorten(inner)] as const);
      known.set(value, Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries));
    }
    return known.get(value);
  };
  return shorten(said) as Value; // why: only texts are other ones
}
