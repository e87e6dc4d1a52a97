// A list of 20 without a socket: `service.fetch` against a handler by hand and against interceptors of `fetch`.
import { HandWrittenService, problem } from "./by-hand.ts";
import { type Contenders, expectSame, manyRounds, startAll, Subject, takeTurns } from "./measure.ts";
import { apiKey, fillAccount, makePage, temporaryFolder } from "./pages.ts";
import type { Part } from "./report.ts";

const origin = "https://service.example";
const path = "/api/content";
const query = "limit=20&offset=0";
const url = `${origin}${path}?${query}`;
const headers = { Authorization: `Bearer ${apiKey}` };
const handler = "(Request) => Response";

/** Ratios of time per call, with a hand-written `(Request) => Response` handler as 1.00. */
export const inProcess: Part = {
  async measure() {
    await using mock = await Subject.start("in-process.ts", "mock service");
    using folder = temporaryFolder();
    const listPath = folder.write("list.json", await mock.answer("all"));
    const peers = [handler, "JSON both ways, by hand", "undici MockAgent", "msw 2", "msw 3"];
    await using others = await startAll("in-process.ts", peers, listPath);
    const expected = await mock.answer("list");
    for (const other of others.subjects) expectSame(other.name, await other.answer("list"), expected);

    const measurements = [mock, ...others.subjects].map(
      (subject) => [subject.name, () => subject.wall("list", 150)] as const,
    );
    return [
      {
        name: "mock in process, list of 20",
        unit: "µs",
        baseline: handler,
        samples: await takeTurns(manyRounds, Object.fromEntries(measurements)),
        goals: [
          { of: "mock service", against: handler, atMost: 0.85 },
          { of: "msw 2", against: "mock service", atLeast: 3.5 },
        ],
      },
    ];
  },
};

export const contenders: Contenders = {
  async "mock service"() {
    const { createMockService } = await import("#mock-server");
    const service = createMockService();
    const list = await fillAccount(service.fetch, origin, 100);
    return { all: () => list, list: async () => (await service.fetch(url, { headers })).json() };
  },

  async "mock service, empty catalogue"() {
    const { createMockService } = await import("#mock-server");
    const { fetch: listed } = createMockService({ domains: [] });
    await fillAccount(listed, origin, 100);
    let created = 0;
    let { fetch: filling } = createMockService({ domains: [] });
    const body = { method: "POST", headers: { ...headers, "Content-Type": "application/json" } };
    const create = async () => {
      // A new service now and then, so that the faster one does not work on a larger account.
      if ((created += 1) % 1000 === 0) ({ fetch: filling } = createMockService({ domains: [] }));
      return await (await filling(`${origin}${path}`, { ...body, body: JSON.stringify(makePage(created)) })).json();
    };
    return { list: async () => (await listed(url, { headers })).json(), create };
  },

  [handler](list) {
    const answer = createHandler(list);
    return { list: async () => answer(new Request(url, { headers })).json() };
  },

  "JSON both ways, by hand"(list) {
    const service = new HandWrittenService(list);
    return { list: () => JSON.parse(JSON.stringify(service.list(new URLSearchParams(query)))) as unknown };
  },

  async "undici MockAgent"(list) {
    const { MockAgent, setGlobalDispatcher, fetch } = await import("undici");
    const service = new HandWrittenService(list);
    const agent = new MockAgent();
    agent.disableNetConnect();
    setGlobalDispatcher(agent);
    agent
      .get(origin)
      .intercept({ path: (requested) => requested.startsWith(path), headers: { authorization: headers.Authorization } })
      .reply(({ path: requested }) => ({
        statusCode: 200,
        data: JSON.stringify(service.list(new URL(requested, origin).searchParams)),
        responseOptions: { headers: { "Content-Type": "application/json", ...service.rateHeaders() } },
      }))
      .persist();
    return { list: async () => (await fetch(url, { headers })).json() };
  },

  async "msw 2"(list) {
    const { http } = await import("msw2");
    const { setupServer } = await import("msw2/node");
    const answer = createHandler(list);
    setupServer(http.get(`${origin}${path}`, ({ request }) => answer(request))).listen();
    return { list: async () => (await fetch(url, { headers })).json() };
  },

  async "msw 3"(list) {
    const { http } = await import("msw");
    const { setupServer } = await import("msw/node");
    const answer = createHandler(list);
    setupServer(http.get(`${origin}${path}`, ({ request }) => answer(request))).listen();
    return { list: async () => (await fetch(url, { headers })).json() };
  },
};

function createHandler(list: string): (request: Request) => Response {
  const service = new HandWrittenService(list);
  return (request) => {
    const headers = service.rateHeaders();
    if (!service.isAuthorized(request.headers.get("Authorization"))) {
      return Response.json(problem(401), { status: 401, headers });
    }
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== path || request.method !== "GET") return Response.json(problem(404), { status: 404, headers });
    return Response.json(service.list(searchParams), { headers });
  };
}
