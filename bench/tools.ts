// Mock servers with a command, ours included, each with the files that it needs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import type * as z from "zod";
import { createSchema, listSchema, pageSchema, readList, toJsonSchema } from "./by-hand.ts";
import type { Tasks } from "./measure.ts";
import { apiKey, temporaryFolder } from "./pages.ts";

const listPath = "/api/content?limit=20&offset=0";

/** Returns the arguments of Node that start a tool on a port with the pages of a list. */
type Tool = (
  write: (name: string, value: unknown) => string,
  port: number,
  list: z.infer<typeof listSchema>,
) => string[];

export const tools = {
  "mock service": (_write, port) => [
    join(import.meta.dirname, "dist/now/mock-server/dist/cli.js"),
    "serve",
    "--port",
    String(port),
  ],

  "node:http script"(write, port, list) {
    const script = `import { createServer } from "node:http";
const body = ${JSON.stringify(JSON.stringify(list))};
createServer((request, response) => {
  const isAuthorized = request.headers.authorization?.startsWith("Bearer ");
  response.writeHead(isAuthorized ? 200 : 401, { "Content-Type": "application/json" });
  response.end(isAuthorized ? body : "{}");
}).listen(${port}, "127.0.0.1");`;
    return [write("server.mjs", script)];
  },

  "json-server"(write, port, { data }) {
    const routes = {
      "/api/content?limit=:limit&offset=:offset": "/content?_limit=:limit&_start=:offset",
      "/api/*": "/$1",
    };
    const files = [write("db.json", { content: data }), "--routes", write("routes.json", routes)];
    return [bin("json-server"), ...files, "--port", String(port), "--host", "127.0.0.1", "--quiet", "--ng"];
  },

  prism(write, port, list) {
    const firstPage = { ...list, data: list.data.slice(0, 20), limit: 20 };
    const listPages = {
      parameters: [integerInQuery("limit"), integerInQuery("offset")],
      responses: { 200: { description: "OK", content: jsonOf(listSchema, firstPage) } },
    };
    const createPage = {
      requestBody: { required: true, content: jsonOf(createSchema) },
      responses: { 201: { description: "Created", content: jsonOf(pageSchema, list.data[0]) } },
    };
    const document = write("openapi.json", {
      openapi: "3.1.0",
      info: { title: "Landing pages", version: "1.0.0" },
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
      paths: { "/api/content": { get: listPages, post: createPage } },
    });
    const quiet = ["--multiprocess", "false", "--verboseLevel", "silent"];
    return [bin("@stoplight/prism-cli"), "mock", document, "--port", String(port), ...quiet];
  },

  mockoon(write, port, { data }) {
    const response = {
      uuid: uuid(1),
      default: true,
      bodyType: "DATABUCKET",
      databucketID: "data",
      crudKey: "id",
      disableTemplating: true,
    };
    const route = { uuid: uuid(2), type: "crud", method: "", endpoint: "api/content", responses: [response] };
    const environment = write("mockoon.json", {
      uuid: uuid(3),
      lastMigration: 33,
      name: "Landing pages",
      routes: [route],
      rootChildren: [{ type: "route", uuid: route.uuid }],
      data: [{ uuid: uuid(4), id: "data", name: "pages", value: JSON.stringify(data) }],
    });
    const quiet = ["--repair", "--disable-log-to-file", "--disable-admin-api"];
    return [
      bin("@mockoon/cli"),
      "start",
      "--data",
      environment,
      "--port",
      String(port),
      "--hostname",
      "127.0.0.1",
      ...quiet,
    ];
  },
} satisfies Record<string, Tool>;

/** Starts a tool as a contender that serves the pages of a list. It ends with this process. */
export async function startTool(name: keyof typeof tools, list: string): Promise<Tasks> {
  const port = await freePort();
  const args = tools[name](temporaryFolder().write, port, readList(list));
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  process.once("exit", () => child.kill("SIGKILL"));
  await firstAnswer(port);
  return { url: () => `http://127.0.0.1:${port}` };
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // why: a TCP server's address is an object
  server.close();
  await once(server, "close");
  return port;
}

/** Requests the list every two milliseconds until a server responds. */
export async function firstAnswer(port: number): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  while (!(await isAnswering(port))) {
    if (performance.now() > deadlineMs) throw new Error(`No server responded on port ${port} within 30 s`);
  }
}

function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${apiKey}` };
    get({ host: "127.0.0.1", port, path: listPath, headers, agent: false }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode === 200));
    }).once("error", () => setTimeout(resolve, 2, false));
  });
}

function jsonOf(schema: z.ZodType, example?: unknown) {
  return { "application/json": { schema: toJsonSchema(schema), ...(example !== undefined && { example }) } };
}

function integerInQuery(name: string) {
  return { name, in: "query", schema: { type: "integer" } };
}

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** The path of a package's command. */
function bin(name: string): string {
  const path = require.resolve(`${name}/package.json`);
  const { bin } = require(path) as { bin: string | Record<string, string> }; // why: a package.json with a command
  return join(dirname(path), typeof bin === "string" ? bin : (Object.values(bin)[0] ?? ""));
}

const require = createRequire(import.meta.url);
