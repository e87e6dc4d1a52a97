import type { Addressing } from "./addressing.ts";
import { createdId } from "./answers.ts";
import type { Call, CheckClient } from "./client.ts";
import { type Exchange, hasSucceeded } from "./exchange.ts";
import { type View, walk } from "./listing.ts";
import type { Step, Visit, VisitOptions } from "./visit.ts";

/** Sends the requests of one visit, and keeps what comes of them. */
export class Visitor {
  readonly #client: CheckClient;
  readonly #visit: Visit;
  readonly #signal: AbortSignal | undefined;

  constructor(client: CheckClient, visit: Visit, { signal }: VisitOptions) {
    this.#client = client;
    this.#visit = visit;
    this.#signal = signal;
  }

  /** Sends one request, written as method and path. */
  send(line: string, body?: unknown, extra: Pick<Call, "caller" | "headers"> = {}): Promise<Exchange> {
    const [method, path] = line.split(" ") as [Call["method"], string]; // why: every line is written in these files
    return this.#client.send({ method, path, body, ...extra }, this.#signal);
  }

  /** Sends one request and keeps what came of it under a name. */
  async step(name: Step, ...request: Parameters<Visitor["send"]>): Promise<Exchange> {
    const exchange = await this.send(...request);
    this.#visit.steps[name] = exchange;
    return exchange;
  }

  /** Reads the listing until the wanted pages are seen, or it ends. */
  async view(wanted: readonly (string | undefined)[] = [this.#visit.fullId, this.#visit.shortestId]): Promise<View> {
    return walk((query) => this.send(`GET /api/content${query}`), wanted);
  }

  /** The path of a page. */
  pathOf(id: string): string {
    return this.#client.pathOf(id);
  }

  /** What names a page where it is asked for: in a path, in an event. */
  addressOf(id: string): string {
    return this.#client.addressing.spell(id);
  }

  /** Deletes the page at a path, and says whether it is gone: what the path names may be made again. */
  async hasDeleted(path: string, isGone: () => Promise<boolean>): Promise<boolean> {
    if (!hasSucceeded(await this.send(`DELETE ${path}`)) || !(await isGone())) return false;
    return this.#client.deleted.delete(path);
  }

  /** Changes how pages are addressed from here on; what a create has told is forgotten where that is no identifier. */
  setAddressing(addressing: Addressing, told: string | undefined): void {
    this.#client.addressing = addressing;
    if (told === undefined) return;
    if (addressing.isTold) this.#client.made.set(told, "account");
    else this.#client.made.delete(told);
  }

  /** The identifier of the page that a create made, where such answers tell it. */
  toldId(exchange: Exchange): string | undefined {
    return this.#client.addressing.isTold ? createdId(exchange) : undefined;
  }
}
