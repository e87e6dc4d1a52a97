import type { Call, CheckClient } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { type View, walk } from "./listing.ts";
import type { Step, Visit } from "./visit.ts";

/** Sends the requests of one visit, and keeps what comes of them. */
export class Visitor {
  readonly client: CheckClient;
  readonly #visit: Visit;

  constructor(client: CheckClient, visit: Visit) {
    this.client = client;
    this.#visit = visit;
  }

  /** Sends one request and keeps what came of it under a name. */
  async step(name: Step, line: string, body?: unknown, call?: Call): Promise<Exchange> {
    const exchange = await this.client.send(line, body, call);
    this.#visit.steps[name] = exchange;
    return exchange;
  }

  /** Reads the listing until the wanted pages are seen, or it ends. */
  async view(wanted: readonly (string | undefined)[] = [this.#visit.fullId, this.#visit.shortestId]): Promise<View> {
    return walk(this.client, wanted);
  }
}
