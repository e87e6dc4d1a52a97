// Our client and others, each used as its documentation shows.
import { listSchema, pageSchema } from "./by-hand.ts";
import type { Contenders } from "./measure.ts";
import { apiKey, makePage } from "./pages.ts";

const authorization = `Bearer ${apiKey}`;
const query = { limit: 20, offset: 0 };
const page = makePage(1);

/** Each lists 20 pages and creates one, on the server at the given URL. */
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

  async "sdk by a dialect"(url) {
    const { LandingPages } = await import("#sdk");
    const { readBy } = await import("#sdk/dialect");
    const read = readBy({
      answers: {
        page: {
          _id: "{id}",
          title: "{title}",
          content: "{content}",
          slug: "{slug}",
          meta_description: "{meta_description}",
          cta: { type: "{cta.type}", label: "{cta.label}", url: "{cta.url}" },
          domains: [{ name: "{domain.name}", url: "{domain.url}" }],
          created_at: "{created_at}",
          updated_at: "{updated_at}",
        },
        createPage: { body: { data: "{page}" } },
        listPages: { body: { data: { items: ["{page}"], total: "{total}" } } },
      },
    });
    const client = new LandingPages({ apiKey, baseUrl: url, read });
    return {
      list: async () => await client.pages.list(query),
      create: async () => await client.pages.create(page),
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

  async openai(url) {
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI({ apiKey, baseURL: url });
    return {
      list: async () => await client.get<unknown>("/api/content", { query }),
      create: async () => await client.post<unknown>("/api/content", { body: page }),
    };
  },
};

async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(String(response.status));
  return JSON.parse(await response.text());
}
