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

/** Brings states in and out of accounts: seeds, snapshots, exports. Whatever fails leaves every account as it was. */
export interface Archive {
  /** Puts an account where it began, in a fresh rate window. */
  begin(account: Account): void;
  /** The same for all accounts. */
  beginAll(): void;
  snapshot(): StateRecord[];
  snapshotAccount(account: Account): StateRecord[];
  /** Puts back what all accounts held. */
  restore(records: readonly StateRecord[]): LoadCounts;
  /** Puts into one account what the records of one account say. */
  restoreAccount(records: readonly StateRecord[], account: Account): LoadCounts;
  exportLines(): Iterable<string>;
  /** Puts all accounts where an export left them, and makes that their beginning. */
  importLines(source: LineSource): Promise<LoadCounts>;
}

/** What an archive is made with. */
export interface ArchiveParts {
  readonly accounts: Accounts;
  /** How far the service's clock is ahead, in milliseconds. */
  readonly clock: { aheadMs: number };
  readonly makers: RecordMakers;
}

/** Makes the archive of a service, and puts its accounts where the seed says. */
export function createArchive(seed: readonly StateRecord[], { accounts, clock, makers }: ArchiveParts): Archive {
  /** What a reset goes back to, by account; all others began empty. */
  let beginning = new Map<string, HeldAccount>();
  let beginningAheadMs = 0;

  function replace(account: Account | undefined, { state, plan, aheadMs = 0 }: AccountContent): void {
    if (account === undefined) return;
    account.replaceState(state, (accounts.generation += 1));
    account.limiter.reset(plan);
    account.aheadMs = aheadMs;
  }

  function empty(account: Account): void {
    replace(account, { state: accounts.newState(account.id) });
  }

  function begin(account: Account): void {
    const held = beginning.get(account.id);
    const state = accounts.newState(account.id);
    replace(account, held === undefined ? { state } : rebuild(held, state));
    account.placeRules = [];
  }

  function load(records: readonly StateRecord[], name: string): StateLoader {
    const loader = new StateLoader(makers);
    for (const [index, record] of records.entries()) loader.load(record, `${name}[${index}]`);
    loader.finish();
    return loader;
  }

  function put(loader: StateLoader): LoadCounts {
    const unknown = Array.from(loader.accounts.keys()).find((id) => !accounts.has(id));
    if (unknown !== undefined) throw new TypeError(`The service has no account with the id ${JSON.stringify(unknown)}`);
    accounts.beginGeneration();
    for (const account of accounts.all()) if (!loader.accounts.has(account.id)) empty(account);
    // Each is filled as soon as it is opened: of many empty ones some would be dropped.
    for (const [id, content] of loader.accounts) replace(accounts.byId(id), content);
    clock.aheadMs = loader.aheadMs;
    return loader.counts;
  }

  function putAsBeginning(loader: StateLoader): LoadCounts {
    const counts = put(loader);
    const held = holdStill(accounts.all().filter(({ id }) => loader.accounts.has(id)));
    beginning = new Map(held.map((account) => [account.id, account]));
    beginningAheadMs = clock.aheadMs;
    return counts;
  }

  if (seed.length > 0) putAsBeginning(load(seed, "seed"));

  return {
    begin,
    beginAll() {
      accounts.beginGeneration();
      const open = accounts.all();
      for (const account of open) begin(account);
      const isOpen = new Set(open.map(({ id }) => id));
      for (const [id, held] of beginning)
        if (!isOpen.has(id)) replace(accounts.byId(id), rebuild(held, accounts.newState(id)));
      clock.aheadMs = beginningAheadMs;
    },
    snapshot: () => takeSnapshot(holdStill(accounts.all()), clock.aheadMs),
    snapshotAccount: (account) => takeSnapshot(holdStill([account])),
    restore: (records) => put(load(records, "records")),
    restoreAccount(records, account) {
      const loader = load(records, "records");
      if (loader.accounts.size > 1)
        throw new TypeError(`expected the records of one account, got those of ${loader.accounts.size}`);
      const content = loader.accounts.values().next().value;
      if (content === undefined) empty(account);
      else replace(account, content);
      return loader.counts;
    },
    exportLines: () => writeLines(holdStill(accounts.all()), clock.aheadMs),
    async importLines(source) {
      const loader = new StateLoader(makers);
      await readLines(source, loader);
      return putAsBeginning(loader);
    },
  };
}
