import { ConfigurationError } from "./errors.ts";

/** The key of one call, asked for before every attempt, as it may change in between. */
export class CallKey {
  /** As of the last attempt; it is taken out of texts that others wrote. Empty before the first. */
  latest = "";
  readonly #ask: () => string | Promise<string>;
  #isFixed = true;
  #refused: string | undefined;

  constructor(ask: () => string | Promise<string>) {
    this.#ask = ask;
  }

  /** @throws {ConfigurationError} when there is none, or it is the one that was refused. */
  read(): string | Promise<string> {
    const key = this.#ask();
    if (typeof key === "string") return this.#keep(key);
    this.#isFixed = false;
    return key.then((found) => this.#keep(found));
  }

  /** Notes that the service refused the key; gives whether to ask for another one, which happens once. */
  mayChange(): boolean {
    if (this.#isFixed || this.#refused !== undefined) return false;
    this.#refused = this.latest;
    return true;
  }

  #keep(key: string): string {
    if (key === this.#refused) throw new ConfigurationError("`apiKey` gave the key again that had been refused.");
    return (this.latest = key);
  }
}
