import { ArgumentError } from "../exchange/argument.ts";
import type { Switches } from "@landing-page-service/contract";
import { type Dialect, type DialectChoice, resolveDialect } from "@landing-page-service/contract/dialect";
import { createInputReaders, type InputReaders } from "../api/input.ts";
import { createFindPage, type FindPage } from "../dialect/page-ids.ts";
import { createSpeaker, type Said } from "../dialect/speaker.ts";
import { createDomainNetwork, type Domain, type DomainNetwork } from "../domains/network.ts";
import type { PlainAnswer } from "../exchange/plain.ts";

/** What a service answers by, and can be given another of while it runs. */
export interface Manner {
  /** How it speaks. */
  readonly dialect: Dialect;
  readonly switches: Switches;
  /** Writes an answer in the dialect. */
  readonly speak: (said: Said) => PlainAnswer;
  readonly inputs: InputReaders;
  /** Finds a page by its identifier, as the dialect writes it. */
  readonly findPage: FindPage;
  /** The domains that pages are placed on. */
  readonly network: DomainNetwork;
}

/** The manner in force, and those it can be changed to. */
export class CurrentManner implements Manner {
  readonly #first: Manner;
  #current: Manner;

  /** @throws {TypeError} when dialect or domains are not what they should be. */
  constructor(choice: DialectChoice | undefined, domains: readonly Domain[]) {
    this.#first = { ...speakIn(choice), network: createDomainNetwork(domains) };
    this.#current = this.#first;
  }

  get dialect(): Dialect {
    return this.#current.dialect;
  }

  get switches(): Switches {
    return this.#current.switches;
  }

  get speak(): Manner["speak"] {
    return this.#current.speak;
  }

  get inputs(): InputReaders {
    return this.#current.inputs;
  }

  get findPage(): FindPage {
    return this.#current.findPage;
  }

  get network(): DomainNetwork {
    return this.#current.network;
  }

  /** @throws {TypeError} when the dialect is none, or has identifiers of another type than the pages that are there. */
  setDialect(choice: DialectChoice): void {
    const spoken = speakIn(choice);
    const [type, wanted] = [this.switches["page-id-type"], spoken.switches["page-id-type"]];
    if (type !== wanted)
      throw new ArgumentError(
        `dialect: page-id-type stays ${JSON.stringify(type)} while the service runs, got ${wanted}`,
      );
    this.#current = { ...this.#current, ...spoken };
  }

  /** @throws {TypeError} when the catalogue is none. */
  setDomains(domains: readonly Domain[]): void {
    this.#current = { ...this.#current, network: createDomainNetwork(domains) };
  }

  /** Notes the manner in force. @returns what puts it in force again. */
  keep(): () => void {
    const kept = this.#current;
    return () => {
      this.#current = kept;
    };
  }

  /** Goes back to how it began. */
  reset(): void {
    this.#current = this.#first;
  }
}

/** Made once for each dialect: suites make a service for every test, and the schemas of inputs are costly. */
const known = new WeakMap<Dialect, Omit<Manner, "network">>();

function speakIn(choice: DialectChoice | undefined): Omit<Manner, "network"> {
  const dialect = resolveDialect(choice);
  const { switches } = dialect;
  const spoken = known.get(dialect) ?? {
    dialect,
    switches,
    speak: createSpeaker(dialect),
    inputs: createInputReaders(switches),
    findPage: createFindPage(dialect),
  };
  known.set(dialect, spoken);
  return spoken;
}
