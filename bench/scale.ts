// What a million pages in one account change: time and memory per request, export and import, and walking through many.
import type { MockService } from "@landing-page-service/mock-server";
import { type Contenders, cores, Subject, takeTurns } from "./measure.ts";
import { apiKey, makePage, randomNumbers } from "./pages.ts";
import type { Figure, Part } from "./report.ts";

const few = 1000;
const many = 1_000_000;
const rounds = { warmUp: 3, rounds: 11 };

/** Ratios with an account of 1 000 pages as 1.00. */
export const scale: Part = {
  async measure() {
    await using small = await Subject.start("scale.ts", "account", String(few), cores.subject, memoryFlags);
    await using large = await Subject.start("scale.ts", "account", String(many), cores.subject, memoryFlags);
    const figure = async (
      name: string,
      atMost: number,
      measure: (subject: Subject) => Promise<number>,
    ): Promise<Figure> => ({
      name,
      unit: "µs",
      baseline: smallName,
      samples: await takeTurns(rounds, { [smallName]: () => measure(small), [largeName]: () => measure(large) }),
      goals: [{ of: largeName, against: smallName, atMost }],
    });
    return [
      await figure("list of 20 at nine tenths of the account", 4, (subject) => subject.wall("listDeep", 150)),
      await figure("list of the first 20, CPU", 1.1, (subject) => subject.cpu("listFirst", 150)),
      await figure("delete", 4, (subject) => subject.wall("delete", 150)),
      ...(await memory(large)),
      await walk(),
    ];
  },
};

const smallName = "1 000 pages";
const largeName = "1 000 000 pages";
const memoryFlags = ["--expose-gc", "--max-old-space-size=12288"];

async function memory(large: Subject): Promise<Figure[]> {
  const { bytesPerPage, textBytes, importMb } = (await large.answer("memory")) as Memory; // what the account below gives
  const exportMb = (await large.answer("export")) as number; // what the account below gives
  const limit = "twice its JSON text + 500";
  return [
    {
      name: "memory for a page, of 1 000 000",
      unit: "bytes",
      baseline: limit,
      samples: { "mock service": [bytesPerPage], [limit]: [2 * textBytes + 500] },
      goals: [{ of: "mock service", against: limit, atMost: 1 }],
    },
    {
      name: "memory beside 1 000 000 pages on their way",
      unit: "MB",
      baseline: "limit",
      samples: { export: [exportMb], import: [importMb], limit: [100] },
      goals: [
        { of: "export", against: "limit", atMost: 1 },
        { of: "import", against: "limit", atMost: 1 },
      ],
    },
  ];
}

async function walk(): Promise<Figure> {
  await using walker = await Subject.start("scale.ts", "walker", "100000");
  const samples = await takeTurns(
    { warmUp: 2, rounds: 7 },
    {
      "bare list calls": () => walker.wall("bare", 1),
      iterate: () => walker.wall("iterate", 1),
    },
  );
  const goals = [{ of: "iterate", against: "bare list calls", atMost: 1.6 }];
  return { name: "iterate over 100 000 pages in process", unit: "µs", baseline: "bare list calls", samples, goals };
}

interface Memory {
  bytesPerPage: number;
  textBytes: number;
  importMb: number;
}

export const contenders: Contenders = {
  /** An account with as many pages as told, brought in as an import. */
  async account(count) {
    const { createMockService } = await import("#mock-server");
    const service = createMockService();
    const size = Number(count);
    const filled = await measureImport(service, size);
    const call = (method: string, path: string, query = "", body?: string) =>
      service.handle({
        method,
        path,
        query,
        headers: requestHeaders,
        body: body === undefined ? body : encoder.encode(body),
      });
    const random = randomNumbers(size);
    const ids = Array.from({ length: size }, (_, number) => pageId(number));
    const create = async (number: number) => {
      const answer = await call("POST", "/api/content", "", JSON.stringify(makePage(number, 20)));
      return (JSON.parse(answer.body ?? "") as { id: string }).id; // a created page
    };
    return {
      listFirst: () => call("GET", "/api/content", "limit=20&offset=0"),
      listDeep: () => call("GET", "/api/content", `limit=20&offset=${(size * 9) / 10}`),
      /** Only the delete counts; a new page then takes the place of the old one. */
      async delete() {
        const index = Math.floor(random() * size);
        const startedMs = performance.now();
        const { status } = await call("DELETE", `/api/content/${ids[index]}`);
        const overriddenDuration = performance.now() - startedMs;
        if (status !== 204) throw new Error(`the page was not deleted: ${status}`);
        ids[index] = await create(index);
        return { overriddenDuration };
      },
      memory: (): Memory => filled,
      export: () => measureExport(service, size),
    };
  },

  /** An account with as many pages as told, walked through by the SDK. */
  async walker(count) {
    const { createMockService } = await import("#mock-server");
    const { LandingPages } = await import("#sdk");
    const service = createMockService();
    await service.importLines(exportOf(Number(count)));
    const client = new LandingPages({ apiKey, baseUrl: service.baseUrl, fetch: service.fetch });
    const pageSize = 100;
    const expectAll = (seen: number) => {
      if (seen !== Number(count)) throw new Error(`${seen} pages were seen`);
    };
    return {
      async bare() {
        let seen = 0;
        for (let offset = 0; offset < Number(count); offset += pageSize) {
          seen += (await client.pages.list({ limit: pageSize, offset })).data.length;
        }
        expectAll(seen);
      },
      async iterate() {
        let seen = 0;
        for await (const page of client.pages.iterate({ batchSize: pageSize })) if (page.id !== "") seen += 1;
        expectAll(seen);
      },
    };
  },
};

const encoder = new TextEncoder();
const requestHeaders = new Headers({ Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" });

function pageId(number: number): string {
  return `pg_${String(number).padStart(26, "0")}`;
}

/** An export of one account, as `service.exportLines` would write it. */
function* exportOf(count: number): Generator<string> {
  yield `${JSON.stringify({ version: 2, records: count })}\n`;
  const moment = new Date(0).toISOString();
  for (let number = 0; number < count; number += 1) {
    const { meta_description = null, ...page } = makePage(number % few, 20);
    const slug = `${page.slug}-${number}`;
    const domains = [{ name: "stridehouse.example", url: `https://stridehouse.example/${slug}` }];
    const record = {
      id: pageId(number),
      ...page,
      slug,
      meta_description,
      domains,
      created_at: moment,
      updated_at: moment,
    };
    yield `${JSON.stringify({ account: apiKey, page: record })}\n`;
  }
}

/** Memory that is held, in bytes; waste has been collected. */
function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Imports pages, and looks now and then at the memory held beyond the share of those that are in already. */
async function measureImport(service: MockService, count: number): Promise<Memory> {
  const before = heldBytes();
  const looks: { done: number; bytes: number }[] = [];
  let textBytes = 0;
  function* watched() {
    let done = 0;
    for (const line of exportOf(count)) {
      yield line;
      textBytes += line.length - `{"account":"${apiKey}","page":}\n`.length;
      done += 1;
      if (done % (count / 5) === 0) looks.push({ done, bytes: heldBytes() - before });
    }
  }
  await service.importLines(watched());
  const bytes = heldBytes() - before;
  const extra = looks.map((look) => look.bytes - (bytes * look.done) / count);
  return { bytesPerPage: bytes / count, textBytes: textBytes / count, importMb: Math.max(...extra) / 1e6 };
}

/** Exports all pages, and looks now and then at the memory held beyond what was held before; in megabytes. */
function measureExport(service: MockService, count: number): number {
  const before = heldBytes();
  let most = 0;
  let lines = 0;
  let nextLook = count / 5;
  for (const piece of service.exportLines()) {
    lines += piece.split("\n").length - 1;
    if (lines < nextLook) continue;
    nextLook += count / 5;
    most = Math.max(most, heldBytes() - before);
  }
  if (lines < count + 1) throw new Error(`only ${lines} lines were exported`);
  return most / 1e6;
}
