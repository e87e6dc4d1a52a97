import { ArgumentError } from "../exchange/argument.ts";
import { gotInstead } from "../exchange/literal.ts";
import type { Account, Accounts } from "../state/accounts.ts";
import { type LineSource, readLines } from "../state/lines.ts";
import {
  type AccountContent,
  type HeldAccount,
  holdStill,
  type LoadCounts,
  rebuild,
  type StateRecord,
  takeSnapshot,
  writeLines,
} from "../state/snapshot.ts";
import { type RecordMakers, StateLoader } from "../state/state-loader.ts";

/** What an archive is made with. */
export interface ArchiveParts {
  readonly accounts: Accounts;
  /** How far the service's clock is ahead, in milliseconds. */
  readonly clock: { aheadMs: number };
  readonly makers: RecordMakers;
}

/** Brings states in and out of accounts: seeds, snapshots, exports. Whatever fails leaves every account as it was. */
export class Archive {
  readonly #accounts: Accounts;
  readonly #clock: ArchiveParts["clock"];
  readonly #makers: RecordMakers;
  /** What a reset goes back to, by account; all others began empty. */
  #beginning = new Map<string, HeldAccount>();
  #beginningAheadMs = 0;

  /** Puts the accounts where the seed says. @throws {TypeError} when a record is none. */
  constructor(seed: readonly StateRecord[], { accounts, clock, makers }: ArchiveParts) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#makers = makers;
    if (!Array.isArray(seed) || seed.length > 0) this.#putAsBeginning(this.#load(seed, "seed"));
  }

  /** Puts an account where it began, in a fresh rate window. */
  begin(account: Account): void {
    const held = this.#beginning.get(account.id);
    const state = this.#accounts.newState(account.id);
    this.#replace(account, held === undefined ? { state } : rebuild(held, state));
    account.placeRules = [];
  }

  /** The same for all accounts. */
  beginAll(): void {
    const accounts = this.#accounts;
    accounts.beginGeneration(this.#beginning.keys());
    const open = accounts.all();
    for (const account of open) this.begin(account);
    const isOpen = new Set(open.map(({ id }) => id));
    for (const [id, held] of this.#beginning)
      if (!isOpen.has(id)) this.#replace(accounts.byId(id), rebuild(held, accounts.newState(id)));
    this.#clock.aheadMs = this.#beginningAheadMs;
  }

  /** Notes what all accounts hold, and what a reset goes back to. @returns what makes it so again, and forgets sandboxes opened since. */
  keep(): () => void {
    const accounts = this.#accounts;
    const [beginning, beginningAheadMs, forget] = [this.#beginning, this.#beginningAheadMs, accounts.hold()];
    const putBack = accounts.all().map((account) => this.#keepAccount(account));
    return () => {
      this.#beginning = beginning;
      this.#beginningAheadMs = beginningAheadMs;
      for (const account of forget()) this.begin(account);
      for (const putOne of putBack) putOne();
    };
  }

  #keepAccount(account: Account): () => void {
    const { state, placeRules, aheadMs, requestIds, limiter } = account;
    const [{ count }, { ownPlan }, [held]] = [requestIds, limiter, holdStill([account])];
    return () => {
      // Whatever is written comes by a request, or in place of the whole state.
      const isSame = account.state === state && requestIds.count === count && limiter.ownPlan === ownPlan;
      if (!isSame && held !== undefined) this.#replace(account, rebuild(held, this.#accounts.newState(account.id)));
      account.placeRules = placeRules;
      account.aheadMs = aheadMs;
    };
  }

  snapshot(): StateRecord[] {
    return takeSnapshot(holdStill(this.#accounts.all()), this.#clock.aheadMs);
  }

  snapshotAccount(account: Account): StateRecord[] {
    return takeSnapshot(holdStill([account]));
  }

  /** Puts back what all accounts held. */
  restore(records: readonly StateRecord[]): LoadCounts {
    return this.#put(this.#load(records, "records"));
  }

  /** Puts into one account what the records of one account say. */
  restoreAccount(records: readonly StateRecord[], account: Account): LoadCounts {
    const loader = this.#load(records, "records");
    if (loader.accounts.size > 1)
      throw new ArgumentError(`expected the records of one account, got those of ${loader.accounts.size}`);
    const content = loader.accounts.values().next().value;
    this.#replace(account, content ?? { state: this.#accounts.newState(account.id) });
    return loader.counts;
  }

  exportLines(): Iterable<string> {
    return writeLines(holdStill(this.#accounts.all()), this.#clock.aheadMs);
  }

  /** Puts all accounts where an export left them, and makes that their beginning. */
  async importLines(source: LineSource): Promise<LoadCounts> {
    const loader = new StateLoader(this.#makers);
    await readLines(source, loader);
    return this.#putAsBeginning(loader);
  }

  #replace(account: Account | undefined, { state, plan, aheadMs = 0 }: AccountContent): void {
    if (account === undefined) return;
    account.replaceState(state, (this.#accounts.generation += 1));
    account.limiter.reset(plan);
    account.aheadMs = aheadMs;
  }

  #load(records: readonly StateRecord[], name: string): StateLoader {
    if (!Array.isArray(records)) throw new ArgumentError(`${name}: expected an array of records${gotInstead(records)}`);
    const loader = new StateLoader(this.#makers);
    for (const [index, record] of records.entries()) loader.load(record, `${name}[${index}]`);
    loader.finish();
    return loader;
  }

  #put(loader: StateLoader): LoadCounts {
    const accounts = this.#accounts;
    const unknown = Array.from(loader.accounts.keys()).find((id) => !accounts.has(id));
    if (unknown !== undefined)
      throw new ArgumentError(
        `The service has no account with the id ${JSON.stringify(unknown)}: it neither begins with test_ nor is it the id of one of its accounts`,
      );
    accounts.beginGeneration(loader.accounts.keys());
    for (const account of accounts.all())
      if (!loader.accounts.has(account.id)) this.#replace(account, { state: accounts.newState(account.id) });
    for (const [id, content] of loader.accounts) this.#replace(accounts.byId(id), content);
    this.#clock.aheadMs = loader.aheadMs;
    return loader.counts;
  }

  #putAsBeginning(loader: StateLoader): LoadCounts {
    const counts = this.#put(loader);
    const held = holdStill(this.#accounts.all().filter(({ id }) => loader.accounts.has(id)));
    this.#beginning = new Map(held.map((account) => [account.id, account]));
    this.#beginningAheadMs = this.#clock.aheadMs;
    return counts;
  }
}
