// Clients of the service, ours and others', each as its documentation shows it.
import { listSchema, pageSchema } from "./by-hand.ts";
import type { Contenders } from "./measure.ts";
import { apiKey, makePage } from "./pages.ts";

const authorization = `Bearer ${apiKey}`;
const query = { limit: 20, offset: 0 };
const page = makePage(1);

/** Each lists 20 pages and creates one, against the server at the URL it is given. */
export const contenders: Contenders = {
  fetch(url) {
    const headers = { Authorization: authorization, Accept: "application/json" };
    return {
      list: async () => await readJson(await fetch(`${url}/api/content?limit=20&offset=0`, { headers })),
      create: async () =>
        await readJson(
          await fetch(`${url}/api/content`, {
            method: "POST",
            headers: { ...headers, "Content-Type": "application/json" },
            body: JSON.stringify(page),
          }),
        ),
    };
  },

  async sdk(url) {
    const { LandingPages } = await import("#sdk");
    const client = new LandingPages({ apiKey, baseUrl: url });
    return {
      list: async () => await client.pages.list(query),
      create: async () => await client.pages.create(page),
    };
  },

  /** As bare as it comes: nothing is tried again, nothing is an error, nothing is checked. */
  async ky(url) {
    const { default: ky } = await import("ky");
    const client = ky.create({
      baseUrl: url,
      headers: { Authorization: authorization },
      retry: 0,
      throwHttpErrors: false,
    });
    return {
      list: async () => await client.get("/api/content", { searchParams: query }).json<unknown>(),
      create: async () => await client.post("/api/content", { json: page }).json<unknown>(),
    };
  },

  async "ky + zod"(url) {
    const { default: ky } = await import("ky");
    const client = ky.create({ baseUrl: url, headers: { Authorization: authorization } });
    return {
      list: async () => await client.get("/api/content", { searchParams: query }).json(listSchema),
      create: async () => await client.post("/api/content", { json: page }).json(pageSchema),
    };
  },

  async axios(url) {
    const { default: axios } = await import("axios");
    const client = axios.create({ baseURL: url, headers: { Authorization: authorization } });
    return {
      list: async () => (await client.get<unknown>("/api/content", { params: query })).data,
      create: async () => (await client.post<unknown>("/api/content", page)).data,
    };
  },

  async got(url) {
    const { default: got } = await import("got");
    const client = got.extend({ prefixUrl: url, headers: { authorization }, responseType: "json" });
    return {
      list: async () => (await client.get("api/content", { searchParams: query })).body,
      create: async () => (await client.post("api/content", { json: page })).body,
    };
  },

  async octokit(url) {
    const { request } = await import("@octokit/request");
    const client = request.defaults({ baseUrl: url, headers: { authorization } });
    return {
      list: async () => (await client("GET /api/content", query)).data as unknown,
      create: async () => (await client("POST /api/content", { ...page })).data as unknown,
    };
  },

  async openai(url) {
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI({ apiKey, baseURL: url });
    return {
      list: async () => await client.get<unknown>("/api/content", { query }),
      create: async () => await client.post<unknown>("/api/content", { body: page }),
    };
  },

  async ofetch(url) {
    const { ofetch } = await import("ofetch");
    const client = ofetch.create({ baseURL: url, headers: { Authorization: authorization } });
    return {
      list: async () => await client<unknown>("/api/content", { query }),
      create: async () => await client<unknown>("/api/content", { method: "POST", body: page }),
    };
  },
};

async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(String(response.status));
  return JSON.parse(await response.text());
}
