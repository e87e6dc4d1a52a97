// A Hono app for Cloudflare Workers: creates pages from a form, shows them, and records each view after the response.
import {
  BadRequestError,
  type CreatePage,
  InvalidInputError,
  LandingPages,
  NotFoundError,
  RateLimitError,
} from "@landing-page-service/sdk";
import { Hono } from "hono";

interface Environment {
  /** Variables and secrets of the worker. */
  Bindings: { LANDING_PAGES_BASE_URL: string; LANDING_PAGES_API_KEY: string };
  Variables: { client: LandingPages };
}

const app = new Hono<Environment>();

// A worker may not wait in one request for what another one started, so each request makes its own client.
app.use(async (context, next) => {
  const { LANDING_PAGES_BASE_URL: baseUrl, LANDING_PAGES_API_KEY: apiKey } = context.env;
  // A visitor waits for these calls: give up early instead of waiting a minute for the rate limit.
  context.set("client", new LandingPages({ baseUrl, apiKey, retry: { maxWaitMs: 2000 }, totalTimeoutMs: 5000 }));
  await next();
});

app.post("/pages", async (context) => {
  const page = await context.var.client.pages.create(await context.req.json<CreatePage>());
  return context.json({ id: page.id, url: page.domains[0]?.url }, 201);
});

app.get("/pages/:slug", async (context) => {
  const { client } = context.var;
  const page = await client.pages.find({ slug: context.req.param("slug") });
  if (page === undefined) return context.json({ message: "There is no such page." }, 404);
  // The worker stays alive until this call ends; the visitor does not wait for it.
  context.executionCtx.waitUntil(
    client.analytics.track({ pageId: page.id }).catch((error: unknown) => console.error("lost a view:", error)),
  );
  return context.json({ title: page.title, content: page.content });
});

app.delete("/pages/:id", async (context) => {
  await context.var.client.pages.delete(context.req.param("id"));
  return context.body(null, 204);
});

/** Turns the errors of the client into responses. */
app.onError((error, context) => {
  if (InvalidInputError.is(error) || BadRequestError.is(error)) return context.json({ fields: error.fieldErrors }, 422);
  if (NotFoundError.is(error)) return context.json({ message: "There is no such page." }, 404);
  if (RateLimitError.is(error)) {
    const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
    return context.json({ message: "Please try again later." }, 503, { "Retry-After": String(seconds) });
  }
  if (error instanceof SyntaxError) return context.json({ message: "Send a JSON object." }, 400);
  console.error(error);
  return context.json({ message: "The landing page service does not respond as it should." }, 502);
});

export default app;
