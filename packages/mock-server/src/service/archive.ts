import { type Account, type Accounts, AccountState } from "../state/accounts.ts";
import { type Seed, type SeedContext, sow } from "./seed.ts";
import { holdStill, type LoadCounts, type Snapshot, takeSnapshot, writeLines } from "../state/snapshot.ts";
import { checkHeader, type LineSource, readLines, StateLoader } from "../state/state-loader.ts";

/** Brings states in and out of accounts: seeds, snapshots, exports. Whatever fails leaves every account as it was. */
export interface Archive {
  /** Gives an account its seed and a fresh rate window, and nothing else. */
  begin(account: Account): void;
  /** The same for all accounts. */
  beginAll(): void;
  snapshot(accounts: readonly Account[]): Snapshot;
  /** Puts back what all accounts held. */
  restore(snapshot: Snapshot): LoadCounts;
  /** Puts into one account what a snapshot of one account holds. */
  restoreAccount(snapshot: Snapshot, account: Account): LoadCounts;
  exportLines(): Iterable<string>;
  importLines(source: LineSource): Promise<LoadCounts>;
}

/** Makes the archive of a service. */
export function createArchive(accounts: Accounts, seed: Seed, seedContext: () => SeedContext): Archive {
  const seeds = Object.entries(seed).map(([key, content]) => ({ accountId: accounts.open(key).id, content }));
  const noteId = (id: string): boolean => seedContext().noteId(id);

  function replace(account: Account | undefined, state: AccountState): void {
    account?.replaceState(state, (accounts.generation += 1));
  }

  function begin(account: Account): void {
    const state = new AccountState();
    for (const { accountId, content } of seeds) if (accountId === account.id) sow(state, content, seedContext());
    replace(account, state);
    account.limiter.reset();
  }

  function load(snapshot: Snapshot): StateLoader {
    checkHeader(snapshot);
    const loader = new StateLoader(noteId);
    for (const [index, record] of snapshot.records.entries()) loader.load(record, `records[${index}]`);
    return loader;
  }

  function put({ states, counts }: StateLoader): LoadCounts {
    const unknown = Array.from(states.keys()).find((id) => !accounts.has(id));
    if (unknown !== undefined) throw new TypeError(`The service has no account ${JSON.stringify(unknown)}`);
    accounts.beginGeneration();
    for (const account of accounts.all()) if (!states.has(account.id)) replace(account, new AccountState());
    // Each is filled as soon as it is opened: of many empty ones some would be dropped.
    for (const [id, state] of states) replace(accounts.byId(id), state);
    return counts;
  }

  return {
    begin,
    beginAll() {
      accounts.beginGeneration();
      for (const account of accounts.all()) begin(account);
      for (const { accountId } of seeds) {
        const account = accounts.byId(accountId);
        if (account?.state.isEmpty === true) begin(account);
      }
    },
    snapshot: (accounts) => takeSnapshot(holdStill(accounts)),
    restore: (snapshot) => put(load(snapshot)),
    restoreAccount(snapshot, account) {
      const { states, counts } = load(snapshot);
      if (states.size > 1) throw new TypeError(`expected a snapshot of one account, got one of ${states.size}`);
      replace(account, states.values().next().value ?? new AccountState());
      return counts;
    },
    exportLines: () => writeLines(holdStill(accounts.all())),
    async importLines(source) {
      const loader = new StateLoader(noteId);
      await readLines(source, loader);
      return put(loader);
    },
  };
}
