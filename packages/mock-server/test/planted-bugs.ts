// Apps with a bug each in what they make of an answer, and the same apps mended.
import { setTimeout as wait } from "node:timers/promises";
import type { SweptAccount } from "../src/sweep.ts";
import { type Careful, careful, expectStatus, fields, pause, persist, send, view } from "./careful-client.ts";

type App = (client: Careful, mock: SweptAccount) => unknown;

/** A bug: what the app does, what it should do, and what a sweep finds, as `kind calls`. */
export interface Planted {
  readonly broken: App;
  readonly mended: App;
  readonly finds: readonly string[];
}

const nothing = (): undefined => undefined;
const createOnce = (mock: SweptAccount) => persist(mock, "/api/content", { method: "POST", body: fields("tea") });

const createAndTrack: App = async ({ create, track }) => track(await create("tea"));
const createOne: App = async ({ create }) => create("tea");

export const plantedBugs: Record<string, Planted> = {
  "a response that is waited for without end": {
    broken: async (_, mock) => careful(mock, { signalOf: () => new AbortController().signal }).create("tea"),
    mended: createOne,
    finds: ["hang createPage #1"],
  },
  "going on with a key that is refused": {
    broken: async ({ create }, mock) => {
      for (const slug of ["one", "two", "three"]) await create(slug).catch((error: unknown) => mock.report(error));
    },
    mended: async ({ create }) => {
      for (const slug of ["one", "two", "three"]) await create(slug);
    },
    finds: ["etiquette createPage #1, #2"],
  },
  "an update whose failure is swallowed": {
    broken: async ({ create, update }) => {
      await update(await create("tea"), { title: "Green tea" }).catch(nothing);
    },
    mended: async ({ create, update }) => update(await create("tea"), { title: "Green tea" }),
    finds: ["changed updatePage #1"],
  },
  "two creates at once, of which one fails unseen": {
    broken: async ({ create }) => void (await Promise.allSettled([create("one"), create("two")])),
    mended: async ({ create }) => Promise.all([create("one"), create("two")]),
    finds: ["missing createPage #1, #2"],
  },
  "a 400 that is sent again": {
    broken: async (_, mock) => careful(mock, { isRetried: (status) => status >= 400 && status !== 401 }).create("tea"),
    mended: createOne,
    finds: ["etiquette createPage #1"],
  },
  "a Retry-After that is ignored": {
    broken: async (_, mock) => careful(mock, { pauseMs: () => 500 }).list(),
    mended: async ({ list }) => list(),
    finds: ["etiquette listPages #1"],
  },
  "an event of a page whose create has failed": {
    broken: async ({ create, track }) => {
      const id = await create("tea").catch(() => "undefined");
      await track(id).catch(nothing);
    },
    mended: createAndTrack,
    finds: ["missing createPage #1", "missing trackEvent #1", "etiquette createPage #1"],
  },
  "an error that is answered from a cache, and written back": {
    broken: async ({ create, update, list }) => {
      const cached = { id: await create("tea", "Old"), title: "Old" };
      await update(cached.id, { title: "New" });
      const [page = cached] = await list().catch(() => [cached]);
      await update(page.id, { title: page.title, content: "Another." });
    },
    mended: async ({ create, update, list }) => {
      await update(await create("tea", "Old"), { title: "New" });
      const [page] = await list();
      if (page === undefined) throw new Error("the page is gone");
      await update(page.id, { title: page.title, content: "Another." });
    },
    finds: ["changed listPages #1", "etiquette listPages #1"],
  },
  "a race against a timer that leaves the call running, and another one made": {
    broken: async (_, mock) => {
      const once = (key: string) => persist(mock, "/api/content", { method: "POST", body: fields("tea"), key });
      const first = await Promise.race([once("1"), pause(3_000)]);
      expectStatus(first ?? (await once("2")), 201);
    },
    mended: async (_, mock) => {
      const first = await createOnce(mock).catch(() => createOnce(mock));
      expectStatus(first, 201);
    },
    finds: ["twice createPage #1"],
  },
  "a timeout after which it is sent again without a key": {
    broken: async (_, mock) => {
      const once = () =>
        send(mock, "/api/content", { method: "POST", body: fields("tea"), signal: AbortSignal.timeout(2_000) });
      expectStatus(await once().catch(once), 201);
    },
    mended: async (_, mock) => expectStatus(await createOnce(mock), 201),
    finds: ["twice createPage #1"],
  },
  "a promise that is awaited too late": {
    broken: async ({ create, track }) => {
      const id = await create("tea");
      const viewed = track(id);
      await wait(30_000);
      await viewed;
    },
    mended: async ({ create, track }) => {
      const id = await create("tea");
      await Promise.all([track(id), wait(30_000)]);
    },
    finds: ["unhandled trackEvent #1"],
  },
  "half an answer that is taken for an empty one": {
    broken: async ({ track }, mock) => {
      const response = await createOnce(mock);
      expectStatus(response, 201);
      const { id } = (await response.json().catch(() => ({}))) as { id?: string }; // why: an answer, or nothing
      if (id !== undefined) await track(id);
    },
    mended: createAndTrack,
    finds: ["missing createPage #1"],
  },
  "half an answer after which the page is made again": {
    broken: async (_, mock) => {
      const once = async (key: string): Promise<unknown> => {
        const response = await persist(mock, "/api/content", { method: "POST", body: fields("tea"), key });
        expectStatus(response, 201);
        return response.json();
      };
      await once("1").catch((error: unknown) =>
        error instanceof SyntaxError || error instanceof TypeError ? once("2") : Promise.reject(error as Error),
      ); // why: what was thrown
    },
    mended: createOne,
    finds: ["twice createPage #1"],
  },
  "any 200 that is taken for a success": {
    broken: async ({ create }, mock) => {
      const { ok } = await persist(mock, "/api/analytics/view", { method: "POST", body: view(await create("tea")) });
      if (!ok) throw new Error("not tracked");
    },
    mended: createAndTrack,
    finds: ["missing trackEvent #1"],
  },
  "only a 500 that is taken for a failure": {
    broken: async ({ create }, mock) => {
      const id = await create("tea");
      const { status } = await persist(mock, `/api/content/${id}`, { method: "PUT", body: { title: "New" } });
      if (status === 500) throw new Error("not updated");
    },
    mended: async ({ create, update }) => update(await create("tea"), { title: "New" }),
    finds: ["changed updatePage #1"],
  },
  "any failed delete that is taken for a page that is gone": {
    broken: async ({ create }, mock) => {
      const { ok } = await send(mock, `/api/content/${await create("old")}`, { method: "DELETE" });
      return ok ? "deleted" : "was gone";
    },
    mended: async ({ create, remove }) => remove(await create("old")),
    finds: ["changed deletePage #1"],
  },
  "a body that is stamped anew under the same key": {
    broken: async (_, mock) => {
      const once = () =>
        send(mock, "/api/content", { method: "POST", body: { ...fields("tea", `At ${Date.now()}`) }, key: "tea" });
      const first = await once();
      if (first.status >= 500) await pause(1_000);
      const answer = first.status >= 500 ? await once() : first;
      expectStatus(answer, 201);
      await answer.json();
    },
    mended: createOne,
    finds: ["changed createPage #1", "etiquette createPage #1"],
  },
  "an event at two layers, each of which tries again": {
    broken: async ({ create }, mock) => {
      const id = await create("tea");
      const once = async (key: string) =>
        expectStatus(await persist(mock, "/api/analytics/view", { method: "POST", body: view(id), key }), 202);
      await once("1").catch(() => once("2"));
    },
    mended: createAndTrack,
    finds: ["twice trackEvent #1"],
  },
};
