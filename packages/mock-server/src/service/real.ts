// An account of the real service, for a suite that runs against it: pages are marked on the way, and taken away afterwards.
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { findPage, findPages, isObject, maxListLimit, readBody, readRateLimit } from "@landing-page-service/contract";
import { endpointName, matchRoute } from "../api/routes.ts";
import type { PlainAnswer } from "../exchange/plain.ts";
import { Journal, listRequests } from "../testing/journal.ts";
import { type JournalEntry, RecordedRequest } from "../testing/recorded.ts";
import type { Entrance } from "./caught.ts";
import type { Fetch } from "./fetch.ts";
import type { TestAccount } from "./test-account.ts";

/** What a test is run against: the mock, or, with `LANDING_PAGES_TEST_TARGET=real`, the service that the environment names. @throws {Error} when the environment does not say which service. */
export function readRealTarget(environment: NodeJS.ProcessEnv = process.env): Entrance | undefined {
  const target = environment["LANDING_PAGES_TEST_TARGET"] ?? "mock";
  if (target === "mock" || target === "") return undefined;
  if (target !== "real")
    throw new Error(`LANDING_PAGES_TEST_TARGET: expected mock or real, got ${JSON.stringify(target)}`);
  const [baseUrl = "", apiKey = ""] = [environment["LANDING_PAGES_BASE_URL"], environment["LANDING_PAGES_API_KEY"]];
  if (!URL.canParse(baseUrl) || apiKey === "")
    throw new Error(
      "LANDING_PAGES_TEST_TARGET=real needs LANDING_PAGES_BASE_URL, an absolute URL, and LANDING_PAGES_API_KEY.",
    );
  return { baseUrl: baseUrl.replace(/\/+$/, ""), apiKey };
}

/** What only the mock has. */
const mockOnly = [
  "clock",
  "domains",
  "droppedEvents",
  "events",
  "faults",
  "pages",
  "rateLimit",
  "reset",
  "restore",
  "service",
  "setPlan",
  "snapshot",
  "waitForRequest",
] as const satisfies readonly (keyof TestAccount)[];

/** What there is of an account of the real service. */
type RealMembers = Omit<TestAccount, (typeof mockOnly)[number]>;

/** An account of the real service while its test runs. */
export interface RealAccount {
  readonly account: TestAccount;
  /** Deletes the pages that the test has made. @throws {Error} that names those that are left. */
  readonly cleanUp: () => Promise<void>;
}

/** Opens the real account for one test; `skip` ends the test where it asks for what only the mock has. */
export function openRealAccount(entrance: Entrance, send: Fetch, skip: (reason: string) => never): RealAccount {
  const { baseUrl, apiKey } = entrance;
  const visit = new Visit(entrance, send);
  const members: RealMembers = {
    apiKey,
    clientOptions: { apiKey, baseUrl, fetch: (input, init) => visit.send(input, init), now: () => Date.now() },
    requests: (match = {}) => listRequests([visit.journal], match),
    get forgottenRequests() {
      return visit.journal.forgotten;
    },
    get unhandledRequests() {
      return visit.journal.unhandled;
    },
  };
  for (const name of mockOnly)
    Object.defineProperty(members, name, { get: () => skip(`needs the mock: the real service has no \`${name}\``) });
  return { account: members as TestAccount, cleanUp: () => visit.cleanUp() }; // why: the loop has added the others
}

/** Most requests that look for pages of which no answer told the identifier. */
const mostLists = 20;
/** Most attempts at a request that cleans up. */
const mostAttempts = 5;
const longestWaitMs = 60_000;
/** Longest slug that is marked: with the mark it has at most the 200 characters of the reference. Gap: see docs/spec-gaps.md#bounds */
const longestSlug = 180;

/** What one test does at the real service. */
class Visit {
  readonly journal = new Journal();
  readonly #entrance: Entrance;
  readonly #send: Fetch;
  readonly #mark = `-test-${randomUUID().slice(0, 8)}`;
  readonly #made = new Set<string>();
  /** Slugs that were marked, as they were sent. */
  readonly #slugs = new Set<string>();
  /** Creates of which it is not known whether they made a page, or which. */
  #unsure = 0;
  #requests = 0;

  constructor(entrance: Entrance, send: Fetch) {
    this.#entrance = entrance;
    this.#send = send;
  }

  async send(input: Request | string | URL, given?: RequestInit): Promise<Response> {
    const request = new Request(input, given);
    const { method, headers, signal, redirect } = request;
    const url = new URL(request.url);
    const text = await request.text();
    const path = url.pathname.slice(new URL(this.#entrance.baseUrl).pathname.replace(/\/+$/, "").length);
    const endpoint = endpointName(matchRoute(method, path));
    const isCreate = endpoint === "createPage";
    const startedAtMs = Date.now();
    if (isCreate) this.#unsure += 1;
    const body = isCreate || endpoint === "updatePage" ? this.#markSlug(text) : text;
    const plain = {
      method,
      path,
      query: url.search.slice(1),
      headers,
      body: text === "" ? undefined : Buffer.from(text),
    };
    const note = (answer: PlainAnswer | undefined): void =>
      this.#record({ request: plain, answer, endpoint, startedAtMs });
    if (endpoint === "listPages") this.#markFilter(url);
    const init = { method, headers, signal, redirect, ...(text !== "" && { body }) };
    const response = await this.#send(url, init).catch((error: unknown) => {
      note(undefined);
      throw error;
    });
    const { status, statusText } = response;
    const answered = (await response.text()).replaceAll(this.#mark, "");
    if (isCreate && this.#settle(response, answered, text)) this.#unsure -= 1;
    note({ status, headers: Object.fromEntries(response.headers), body: answered });
    const kept = new Headers(response.headers);
    // They tell of the body as it was on the way.
    for (const name of ["Content-Length", "Content-Encoding"]) kept.delete(name);
    return new Response(answered === "" ? null : answered, { status, statusText, headers: kept });
  }

  /** A body whose slug says that it is a test's; where it is none that the service would take, it stays. */
  #markSlug(text: string): string {
    const fields = readJson(text);
    if (!isObject(fields)) return text;
    const { slug } = fields;
    if (typeof slug !== "string" || slug.length > longestSlug || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug)) return text;
    this.#slugs.add(slug);
    return JSON.stringify({ ...fields, slug: slug + this.#mark });
  }

  /** Looks for a page of this test by its slug as it is stored; one that was there before has its own. Gap: see docs/spec-gaps.md#list-filters */
  #markFilter(url: URL): void {
    const slug = url.searchParams.get("slug");
    if (slug !== null && this.#slugs.has(slug)) url.searchParams.set("slug", slug + this.#mark);
  }

  /** Notes the page that an answer to a create tells of. @returns whether it is clear now what the create has done. */
  #settle({ ok, status, headers }: Response, answered: string, sent: string): boolean {
    if (!ok) return status >= 400 && status < 500;
    const fields = readJson(sent);
    const asked = { apiHost: new URL(this.#entrance.baseUrl).host, ...(isObject(fields) && { sent: fields }) };
    const { id } = findPage({ status, headers, body: readJson(answered) }, asked).page;
    if (id !== undefined) this.#made.add(id);
    return id !== undefined;
  }

  #record(seen: Pick<JournalEntry, "request" | "answer" | "endpoint" | "startedAtMs">): void {
    const { endpoint, answer, startedAtMs } = seen;
    this.#requests += 1;
    const request = new RecordedRequest({
      ...seen,
      rewrite: undefined,
      fault: undefined,
      id: answer?.headers["x-request-id"] ?? `request ${this.#requests}`,
      account: undefined,
      key: this.#entrance.apiKey,
      durationMs: Date.now() - startedAtMs,
      createdPath: undefined,
    });
    const { status = 0 } = answer ?? {};
    const isHandled = endpoint === undefined ? status > 0 && status < 400 : status !== 401;
    this.journal.record(request, this.#requests, isHandled);
  }

  async cleanUp(): Promise<void> {
    if (this.#unsure > 0) await this.#findMarked();
    const left: string[] = [];
    for (const id of this.#made) {
      const { ok, status } = await this.#ask("DELETE", `/${encodeURIComponent(id)}`);
      if (!ok && status !== 404 && status !== 410) left.push(`${id} (${status})`);
    }
    if (left.length > 0) throw new Error(`Pages of this test are left at the real service: ${left.join(", ")}`);
  }

  /** Looks for the pages of this test by their slugs. */
  async #findMarked(): Promise<void> {
    let offset = 0;
    for (let count = 0; count < mostLists; count += 1) {
      const response = await this.#ask("GET", `?limit=${maxListLimit}&offset=${offset}`);
      const text = await response.text();
      const { status, headers } = response;
      const found = findPages({ status, headers, body: readJson(text) }, {}, text);
      if (found.kind === "none" || found.pages.length === 0) return;
      for (const { page } of found.pages)
        if (page.id !== undefined && page.slug?.endsWith(this.#mark) === true) this.#made.add(page.id);
      offset += found.pages.length;
    }
  }

  /** Sends a request of its own, again where the service is busy. */
  async #ask(method: string, rest: string): Promise<Response> {
    const { baseUrl, apiKey } = this.#entrance;
    for (let attempt = 1; ; attempt += 1) {
      const headers = { Authorization: `Bearer ${apiKey}` };
      const response = await this.#send(`${baseUrl}/api/content${rest}`, { method, headers });
      if ((response.status !== 429 && response.status < 500) || attempt === mostAttempts) return response;
      // The reset is on every answer, and asks for a wait only where the window is used up.
      const resetAtMs = response.status === 429 ? (readRateLimit(response.headers, Date.now())?.resetAtMs ?? 0) : 0;
      const delayMs = Math.max(resetAtMs - Date.now(), (attempt - 1) * 1_000);
      if (delayMs > 0) await wait(Math.min(delayMs, longestWaitMs));
    }
  }
}

function readJson(text: string): unknown {
  const body = readBody(text);
  return body.kind === "json" ? body.value : undefined;
}
