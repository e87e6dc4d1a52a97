import { ArgumentError } from "../exchange/argument.ts";
import { nearest, type PageRecord } from "@landing-page-service/contract";
import * as z from "zod";
import { gotInstead, showLiteral } from "../exchange/literal.ts";
import type { AccountState } from "./accounts.ts";
import { type EntryKind, type RecordSchemas, recordSchemas } from "./record-schemas.ts";
import { type AccountContent, type LoadCounts, stateVersion } from "./snapshot.ts";
import { urlPath } from "./store.ts";
import { pageUrl } from "./urls.ts";

/** Takes what a person wrote into a state, held to the rules that requests are held to. Each tells why not, where it is refused. */
export interface RecordMakers {
  /** A state without anything for an account. */
  readonly newState: (accountId: string) => AccountState;
  /** Makes a page as a create does. */
  readonly makePage: (state: AccountState, page: unknown, id: string | undefined) => string | undefined;
  /** Takes an event as a request does. */
  readonly makeEvent: (state: AccountState, event: unknown) => string | undefined;
}

/** What is put into an account, once all its records have come. */
interface LoadedAccount extends AccountContent {
  plan: AccountContent["plan"];
  aheadMs: AccountContent["aheadMs"];
  /** Whether a record said how it stands. */
  isStanding: boolean;
}

/**
 * Builds states out of records, beside those in use: a load that fails half-way leaves everything as it was.
 * `place` says in an error where the record stood.
 */
export class StateLoader {
  readonly accounts = new Map<string, LoadedAccount>();
  /** How far the service's clock is to be ahead, in milliseconds. */
  aheadMs = 0;
  readonly counts: LoadCounts = { accounts: 0, pages: 0, events: 0 };
  readonly #makers: RecordMakers;
  #records = 0;
  #promised: number | undefined;

  constructor(makers: RecordMakers) {
    this.#makers = makers;
  }

  /** @throws {TypeError} when the value is no record, or does not fit those before it. */
  load(value: unknown, place: string): void {
    const kind = kindOf(value, place);
    if (kind === "version") {
      if (this.#records > 0) throw new ArgumentError(`${place}: a version stands in the first record only`);
      const { records, aheadMs = 0 } = readHeader(value, place);
      this.#promised = records;
      this.aheadMs = aheadMs;
    } else {
      const { account } = parse(recordSchemas().entry, value, place);
      this.#take[kind](this.#account(account), value, place);
    }
    this.#records += 1;
  }

  /** Makes sure that all records came. @throws {TypeError} when the first one says another number. */
  finish(): void {
    const came = this.#records - 1;
    if (this.#promised === undefined || this.#promised === came) return;
    throw new ArgumentError(
      `expected ${this.#promised} records after the first, which says so, got ${came}: something is missing, or "records" was not changed with them`,
    );
  }

  #account(id: string): LoadedAccount {
    const known = this.accounts.get(id);
    if (known !== undefined) return known;
    const account = { state: this.#makers.newState(id), plan: undefined, aheadMs: undefined, isStanding: false };
    this.accounts.set(id, account);
    this.counts.accounts += 1;
    return account;
  }

  readonly #take: Record<EntryKind, (account: LoadedAccount, value: unknown, place: string) => void> = {
    standing: (account, value, place) => {
      if (account.isStanding) throw new ArgumentError(`${place}: another record says how this account stands`);
      const { plan, aheadMs, ...lastIds } = parse(recordSchemas().entries.standing, value, place);
      account.state.ids.goOnAfter(lastIds);
      Object.assign(account, { plan, aheadMs, isStanding: true });
    },
    page: ({ state }, value, place) => {
      const { page, assignment } = parse(recordSchemas().entries.page, value, place);
      const { id, ...rest } = page;
      const knownId = this.#readId(state, id, place);
      if ("domains" in page)
        this.#placedPage(state, parse(recordSchemas().placedPage, { page }, place).page, assignment, place);
      else refuse(this.#makers.makePage(state, rest, knownId), `${place}: page`);
      this.counts.pages += 1;
    },
    event: ({ state }, value, place) => {
      const { event } = parse(recordSchemas().entries.event, value, place);
      if ("id" in event) state.events.push(parse(recordSchemas().storedEvent, { event }, place).event);
      else refuse(this.#makers.makeEvent(state, event), `${place}: event`);
      this.counts.events += 1;
    },
    create: ({ state }, value, place) => {
      const { key, fingerprint, expiresAtMs, ...answer } = parse(recordSchemas().entries.create, value, place).create;
      state.idempotency.createPage.restore(key, { fingerprint, expiresAtMs, answer });
    },
    track: ({ state }, value, place) => {
      const { key, fingerprint, expiresAtMs, ...answer } = parse(recordSchemas().entries.track, value, place).track;
      state.idempotency.trackEvent.restore(key, { fingerprint, expiresAtMs, answer });
    },
  };

  #readId({ pages, ids }: AccountState, id: unknown, place: string): string | undefined {
    if (id === undefined) return undefined;
    if (typeof id !== "string" || !ids.note(id))
      throw new ArgumentError(`${place}: page.id: no page can have the id ${showLiteral(id)}`);
    if (pages.get(id) !== undefined) throw new ArgumentError(`${place}: page.id: another page has the id ${id}`);
    return id;
  }

  #placedPage({ pages }: AccountState, page: PageRecord, assignment: object | undefined, place: string): void {
    for (const { name, url } of page.domains) {
      if (!url.startsWith(pageUrl(name, ""))) throw new ArgumentError(`${place}: ${url} is no URL on ${name}`);
      if (pages.urls.isTaken(name, urlPath(name, url)))
        throw new ArgumentError(`${place}: another page has the URL ${url}`);
    }
    pages.claimUrls(page);
    pages.insert(page, assignment && JSON.stringify(assignment));
  }
}

/** What a record is about, by the member that tells. */
const kinds: Readonly<Record<string, EntryKind | "version">> = {
  version: "version",
  page: "page",
  event: "event",
  create: "create",
  track: "track",
  plan: "standing",
  aheadMs: "standing",
  lastId: "standing",
  lastNumber: "standing",
};

function kindOf(value: unknown, place: string): EntryKind | "version" {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  const names = isRecord ? Object.keys(value) : [];
  const known = Object.keys(kinds);
  const kind = kinds[known.find((name) => names.includes(name)) ?? ""];
  if (kind !== undefined) return kind;
  const meant = names.map((name) => nearest(name, known)).find((name) => name !== undefined);
  const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
  throw new ArgumentError(
    `${place}: expected a record such as {"account": "test_shop", "page": {…}}, or one with an event, a create or a plan${gotInstead(value)}${hint}`,
  );
}

function readHeader(value: unknown, place: string): z.infer<RecordSchemas["header"]> {
  const { version } = parse(z.looseObject({ version: z.unknown() }), value, place);
  if (version === stateVersion) return parse(recordSchemas().header, value, place);
  throw new ArgumentError(
    `${place}: expected version ${stateVersion} of the format, got version ${showLiteral(version).slice(0, 100)}, which another release wrote`,
  );
}

/** @throws {TypeError} that names the first wrong place. */
function parse<Value>(schema: z.ZodType<Value>, value: unknown, place: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [{ path, message } = { path: [], message: "no record" }] = result.error.issues;
  throw new ArgumentError(`${place}: ${path.length === 0 ? "" : `${path.map(String).join(".")}: `}${message}`);
}

function refuse(reason: string | undefined, place: string): void {
  if (reason !== undefined) throw new ArgumentError(`${place}: ${reason}`);
}
