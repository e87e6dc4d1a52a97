// Apps with a bug each in how they repeat, batch or wait, and the same apps mended.
import { type Careful, pause } from "./careful-client.ts";
import type { Planted } from "./planted-bugs.ts";

const nothing = (): undefined => undefined;

export const plantedLoops: Record<string, Planted> = {
  "a walk that ends at an error, after which the rest is deleted": {
    broken: async ({ create, list, remove }) => prune({ create, remove, list: (query) => list(query).catch(() => []) }),
    mended: async (client) => prune(client),
    finds: ["missing listPages #1, #2", "etiquette listPages #1, #2"],
  },
  "a loop of calls that nobody waits for": {
    broken: async ({ create, track }) => {
      const id = await create("tea");
      for (const place of ["top", "end"]) void track(id, place).catch(nothing);
    },
    mended: async ({ create, track }) => {
      const id = await create("tea");
      await Promise.all(["top", "end"].map((place) => track(id, place)));
    },
    finds: ["missing trackEvent #1, #2"],
  },
  "a batch on an interval that is dropped when it fails": {
    broken: async ({ create, track }) => inBatches(await create("tea"), (id, place) => track(id, place).catch(nothing)),
    mended: async ({ create, track }) => inBatches(await create("tea"), track),
    finds: ["missing trackEvent #1, #2", "etiquette trackEvent #1"],
  },
  "a callback of a timer that throws": {
    broken: async ({ create }) => {
      const id = await create("tea").catch(nothing);
      setTimeout(() => {
        if (id === undefined) throw new RangeError("no page");
      }, 1_000);
      await pause(2_000);
    },
    mended: async ({ create }) => create("tea"),
    finds: ["missing createPage #1", "unhandled createPage #1"],
  },
  "a poll for a page that never comes": {
    broken: async ({ create, list }) => {
      void create("tea").catch(nothing);
      while (!(await list("?slug=tea")).some(({ slug }) => slug === "tea")) await pause(1_000);
    },
    mended: async ({ create, list }) => {
      await create("tea");
      await list("?slug=tea");
    },
    finds: ["hang createPage #1", "etiquette createPage #1"],
  },
  "trying again for ever": {
    broken: async ({ list }) => {
      for (;;) {
        const pages = await list().catch(nothing);
        if (pages !== undefined) return pages;
        await pause(5_000);
      }
    },
    mended: async ({ list }) => list(),
    finds: ["hang listPages #1", "etiquette listPages #1", "etiquette listPages #1"],
  },
  "a first failure that ends the batch quietly": {
    broken: async ({ create }) => {
      for (const slug of ["one", "two", "three"]) if ((await create(slug).catch(nothing)) === undefined) break;
    },
    mended: async ({ create }) => {
      for (const slug of ["one", "two", "three"]) await create(slug);
    },
    finds: ["missing createPage #1, #2, #3"],
  },
  "an item that leaves the queue before it is sent": {
    broken: async ({ create, track }) => drain(await create("tea"), track, (queue) => queue.shift()),
    mended: async ({ create, track }) => drain(await create("tea"), track, (queue) => queue[0]),
    finds: ["missing trackEvent #2"],
  },
};

/** Deletes what it knows of and a walk over all pages has not met. */
async function prune({ create, list, remove }: Pick<Careful, "create" | "list" | "remove">): Promise<void> {
  const ids = [await create("one"), await create("two")];
  const met = new Set<string>();
  for (const offset of [0, 1]) for (const { id } of await list(`?limit=1&offset=${offset}`)) met.add(id);
  for (const id of ids) if (!met.has(id)) await remove(id);
}

/** Sends two events, one at each turn of an interval. */
function inBatches(id: string, track: (id: string, place: string) => Promise<unknown>): Promise<unknown> {
  const places = ["top", "end"];
  return new Promise((resolve, reject) => {
    const interval = setInterval(() => {
      const [place = ""] = places.splice(0, 1);
      const isLast = places.length === 0;
      if (isLast) clearInterval(interval);
      track(id, place).then(
        () => isLast && resolve(undefined),
        (error: unknown) => {
          clearInterval(interval);
          reject(error);
        },
      );
    }, 120_000);
  });
}

/** Sends what waits in a queue, and tells when something is left. */
async function drain(
  id: string,
  track: Careful["track"],
  take: (queue: string[]) => string | undefined,
): Promise<void> {
  const queue = ["top", "end"];
  for (let place = take(queue); place !== undefined; place = take(queue)) {
    try {
      await track(id, place);
    } catch {
      break;
    }
    if (queue[0] === place) queue.shift();
  }
  if (queue.length > 0) throw new Error(`${queue.length} events are left`);
}
