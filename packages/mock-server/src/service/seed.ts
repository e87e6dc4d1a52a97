import type { AnalyticsEvent, CreatePage } from "@landing-page-service/contract";
import * as z from "zod";
import type { AccountState } from "../state/accounts.ts";
import { recordEvent } from "../api/analytics.ts";
import { isRefusal, type Refusal } from "../exchange/outcome.ts";
import type { InputReaders } from "../api/input.ts";
import { createPage, type PageContext } from "../api/pages.ts";

/** A page that an account begins with. */
export interface SeedPage extends CreatePage {
  /** Identifier of the page, so that events and tests can name it: letters, digits, `_` and `-`, at most 100 (an integer where the dialect has those). @defaultValue a new one */
  id?: string;
}

/** What one account begins with. */
export interface SeedAccount {
  /** Its pages, oldest first; placed on domains as if they were created. */
  pages?: readonly SeedPage[];
  /** Its events, oldest first. */
  events?: readonly AnalyticsEvent[];
}

/** What accounts begin with, by API key. */
export type Seed = Readonly<Record<string, SeedAccount>>;

/** What sowing needs beside the seed. */
export interface SeedContext extends PageContext {
  readonly inputs: InputReaders;
  readonly newEventId: () => string;
  /** Takes note of an identifier in use; `false` when no page can have it. */
  readonly noteId: (id: string) => boolean;
}

const seedSchema = z.record(
  z.string(),
  z.strictObject({ pages: z.array(z.unknown()).exactOptional(), events: z.array(z.unknown()).exactOptional() }),
);

/**
 * Checks the shape of a seed as a person writes it in JSON: by API key, `pages` and `events`. The pages and events
 * themselves are checked when a service takes the seed.
 *
 * @throws {TypeError} that names the first wrong place.
 */
export function parseSeed(value: unknown): Seed {
  const result = seedSchema.safeParse(value);
  if (result.success) return result.data as Seed; // why: what is in the arrays is checked one by one by `sow`
  const [{ path, message } = { path: [], message: "not a seed" }] = result.error.issues;
  throw new TypeError(`seed: ${["#", ...path.map(String)].join("/")}: ${message}`);
}

/**
 * Puts a seed into an empty state, held to the rules that requests are held to.
 *
 * @throws {TypeError} that names the place and every wrong field.
 */
export function sow(state: AccountState, { pages = [], events = [] }: SeedAccount, context: SeedContext): void {
  for (const [index, { id, ...page }] of pages.entries()) {
    const place = `pages[${index}]`;
    if (id !== undefined) checkId(id, state, context, place);
    const input = context.inputs.createPage.check(page);
    if (isRefusal(input)) throw wrongSeed(place, input);
    const outcome = createPage(state.pages, input, id === undefined ? context : { ...context, newId: () => id });
    if (isRefusal(outcome)) throw wrongSeed(place, outcome);
  }
  for (const [index, event] of events.entries()) {
    const input = context.inputs.event.check(event);
    const outcome = isRefusal(input)
      ? input
      : recordEvent(state.events, state.pages, input, { switches: context.switches, newId: context.newEventId });
    if (isRefusal(outcome)) throw wrongSeed(`events[${index}]`, outcome);
  }
}

function checkId(id: string, { pages }: AccountState, { noteId }: SeedContext, place: string): void {
  if (!noteId(id)) throw new TypeError(`seed: ${place}: no page can have the id ${JSON.stringify(id)}`);
  if (pages.get(id) !== undefined) throw new TypeError(`seed: ${place}: another page has the id ${JSON.stringify(id)}`);
}

function wrongSeed(place: string, { detail, errors = [] }: Refusal): TypeError {
  const rules = errors.map((error) => `\n  ${error.pointer}: ${error.detail}`);
  return new TypeError(`seed: ${place}: ${rules.length > 0 ? `wrong fields${rules.join("")}` : detail}`);
}
