// The service on several frameworks and mock servers, with keys checked, rate-limit headers on every response, and validated bodies.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type * as z from "zod";
import { createSchema, HandWrittenService, listSchema, pageSchema, problem, toJsonSchema } from "./by-hand.ts";
import type { Contenders, Tasks } from "./measure.ts";
import { startTool } from "./tools.ts";

export const contenders: Contenders = {
  async "mock service"() {
    const { createMockService } = await import("#mock-server");
    const { listen } = await import("#mock-server/node");
    const server = await listen(createMockService());
    return { url: () => server.url };
  },

  async "mock service, empty catalogue"() {
    const { createMockService } = await import("#mock-server");
    const { listen } = await import("#mock-server/node");
    const server = await listen(createMockService({ domains: [] }));
    return { url: () => server.url };
  },

  async "node:http"(list) {
    const service = new HandWrittenService(list);
    const server = createServer((request, response) => {
      const send = (status: number, value: unknown) => {
        const body = JSON.stringify(value);
        response.writeHead(status, {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
          ...service.rateHeaders(),
        });
        response.end(body);
      };
      const url = request.url ?? "";
      const path = url.split("?", 1)[0];
      if (!service.isAuthorized(request.headers.authorization)) return send(401, problem(401));
      if (path !== "/api/content") return send(404, problem(404));
      if (request.method === "GET") return send(200, service.list(new URLSearchParams(url.slice(path.length + 1))));
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const input = createSchema.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
        if (input.success) send(201, service.create(input.data));
        else send(400, problem(400));
      });
    });
    return await listening(server.listen(0, "127.0.0.1"));
  },

  async fastify(list) {
    const { default: fastify } = await import("fastify");
    const service = new HandWrittenService(list);
    const page = toJsonSchema(pageSchema);
    const app = fastify();
    app.addHook("onRequest", async (request, reply) => {
      reply.headers(service.rateHeaders());
      if (!service.isAuthorized(request.headers.authorization)) await reply.code(401).send(problem(401));
    });
    app.get("/api/content", { schema: { response: { 200: toJsonSchema(listSchema) } } }, async ({ url }) =>
      service.list(new URL(url, "http://service.example").searchParams),
    );
    app.post<{ Body: z.infer<typeof createSchema> }>(
      "/api/content",
      { schema: { body: toJsonSchema(createSchema), response: { 201: page } } },
      async ({ body }, reply) => {
        reply.code(201);
        return service.create(body);
      },
    );
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    return { url: () => url };
  },

  async hono(list) {
    const { Hono } = await import("hono");
    const { serve } = await import("@hono/node-server");
    const service = new HandWrittenService(list);
    const app = new Hono();
    app.use(async (context, next) => {
      for (const [name, value] of Object.entries(service.rateHeaders())) context.header(name, value);
      if (!service.isAuthorized(context.req.header("Authorization"))) return context.json(problem(401), 401);
      return await next();
    });
    app.get("/api/content", (context) => context.json(service.list(new URLSearchParams(context.req.query()))));
    app.post("/api/content", async (context) => {
      const input = createSchema.safeParse(await context.req.json());
      return input.success ? context.json(service.create(input.data), 201) : context.json(problem(400), 400);
    });
    return await listening(serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server); // why: its default is plain HTTP
  },

  async express(list) {
    const { default: express } = await import("express");
    const service = new HandWrittenService(list);
    const app = express();
    app.disable("etag");
    app.use((request, response, next) => {
      response.set(service.rateHeaders());
      if (service.isAuthorized(request.get("Authorization"))) next();
      else response.status(401).json(problem(401));
    });
    app.get("/api/content", (request, response) => {
      response.json(service.list(new URL(request.url, "http://service.example").searchParams));
    });
    app.post("/api/content", express.json(), (request, response) => {
      const input = createSchema.safeParse(request.body);
      if (input.success) response.status(201).json(service.create(input.data));
      else response.status(400).json(problem(400));
    });
    return await listening(app.listen(0, "127.0.0.1"));
  },

  "json-server": (list) => startTool("json-server", list),
  mockoon: (list) => startTool("mockoon", list),
  prism: (list) => startTool("prism", list),
};

async function listening(server: Server): Promise<Tasks> {
  if (!server.listening) await once(server, "listening");
  const { port } = server.address() as AddressInfo; // why: a TCP server's address is an object
  return { url: () => `http://127.0.0.1:${port}` };
}
