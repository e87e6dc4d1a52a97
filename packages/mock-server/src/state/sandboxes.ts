/** What the registry knows of a sandbox. */
export interface Sandbox {
  readonly id: string;
  /** When it was last asked for, in steps of the registry. */
  lastUse: number;
  /** Whether somebody outside may hold on to it. */
  readonly isHandedOut: boolean;
  /** Requests that wait. */
  readonly underWay: ReadonlySet<unknown>;
}

/** How many sandboxes there may be, and who knows of their end. */
export interface SandboxesParts<Kind extends Sandbox> {
  /** Sandboxes at a time, beside those that are kept. */
  readonly maxSandboxes: number;
  /** Whether somebody waits for a request of it. */
  readonly isWaitedFor: (sandbox: Kind) => boolean;
  /** Told of each one that is evicted. */
  readonly onEvicted: (sandbox: Kind) => void;
}

/** The accounts that keys open by themselves. One too many evicts the one that was not used for longest, but none that is in use. */
export class Sandboxes<Kind extends Sandbox> {
  readonly #parts: SandboxesParts<Kind>;
  readonly #make: (key: string) => Kind;
  readonly #byKey = new Map<string, Kind>();
  /** Evicted ones that somebody may still hold: the same key opens the same one again. */
  readonly #evicted = new Map<string, WeakRef<Kind>>();
  readonly #forgotten = new FinalizationRegistry<string>((key) => {
    if (this.#evicted.get(key)?.deref() === undefined) this.#evicted.delete(key);
  });
  #kept: ReadonlySet<string> = new Set();
  /** Keys that open none any more. */
  readonly #ended = new Set<string>();
  #uses = 0;

  constructor(parts: SandboxesParts<Kind>, make: (key: string) => Kind) {
    this.#parts = parts;
    this.#make = make;
  }

  /** The sandbox of a key, which is its id; `undefined` where that has ended. */
  open(key: string): Kind | undefined {
    const known = this.#byKey.get(key);
    if (known === undefined && this.#ended.has(key)) return undefined;
    const sandbox = known ?? this.#evicted.get(key)?.deref() ?? this.#make(key);
    sandbox.lastUse = this.#uses += 1;
    if (known !== undefined) return known;
    this.#evicted.delete(key);
    this.#byKey.set(key, sandbox);
    while (this.#byKey.size - this.#kept.size > this.#parts.maxSandboxes && this.#evictBeside(sandbox));
    return sandbox;
  }

  /** Those that there are, in the order they were opened, and those that somebody still holds. */
  all(): Kind[] {
    const held = Array.from(this.#evicted.values(), (sandbox) => sandbox.deref());
    return [...this.#byKey.values(), ...held.filter((found) => found !== undefined)];
  }

  /** Says which ones are never evicted, and not counted, in place of those named before. All of them have to be opened. */
  keep(keys: Iterable<string>): void {
    this.#kept = new Set(keys);
  }

  /** Ends the sandbox of a key: it opens none from now on. */
  end(key: string): void {
    this.#forget(key);
    this.#ended.add(key);
  }

  /** Lets a key open a sandbox again. */
  allow(key: string): void {
    this.#ended.delete(key);
  }

  /** Whether the sandbox of a key was ended. */
  hasEnded(key: string): boolean {
    return this.#ended.has(key);
  }

  /** Whether there is a sandbox of a key now. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Notes which ones there are. @returns what forgets all others, so that their keys open empty ones, and gives those. */
  hold(): () => Kind[] {
    const [held, kept] = [new Set(this.all()), this.#kept];
    return () => {
      this.#kept = kept;
      const opened = this.all().filter((sandbox) => !held.has(sandbox));
      for (const { id } of opened) this.#forget(id);
      return opened;
    };
  }

  #forget(key: string): void {
    this.#byKey.delete(key);
    this.#evicted.delete(key);
  }

  /** Evicts the one that was not used for longest; `false` when all others are in use. */
  #evictBeside(newest: Kind): boolean {
    let oldest = newest;
    for (const sandbox of this.#byKey.values())
      if (sandbox.lastUse < oldest.lastUse && !this.#isInUse(sandbox)) oldest = sandbox;
    if (oldest === newest) return false;
    this.#byKey.delete(oldest.id);
    if (oldest.isHandedOut) {
      this.#evicted.set(oldest.id, new WeakRef(oldest));
      this.#forgotten.register(oldest, oldest.id);
    }
    this.#parts.onEvicted(oldest);
    return true;
  }

  #isInUse(sandbox: Kind): boolean {
    return sandbox.underWay.size > 0 || this.#kept.has(sandbox.id) || this.#parts.isWaitedFor(sandbox);
  }
}
