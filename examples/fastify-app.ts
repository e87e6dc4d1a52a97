// The same app as express-app.ts, with Fastify: `node examples/fastify-app.ts`.
import {
  BadRequestError,
  type CreatePage,
  InvalidInputError,
  LandingPages,
  NotFoundError,
  RateLimitError,
} from "@landing-page-service/sdk";
import { fastify, type FastifyInstance } from "fastify";

/** Makes the app. Its views go through a queue, so a visitor never waits for analytics. */
export function createFastifyApp(
  client: LandingPages,
  views: ReturnType<LandingPages["analytics"]["queue"]>,
): FastifyInstance {
  const app = fastify();

  app.post<{ Body: CreatePage }>("/pages", async (request, reply) => {
    const page = await client.pages.create(request.body);
    return reply.code(201).send({ id: page.id, url: page.domains[0]?.url });
  });

  app.get<{ Params: { slug: string } }>("/pages/:slug", async (request, reply) => {
    const page = await client.pages.find({ slug: request.params.slug });
    if (page === undefined) return reply.code(404).send({ message: "There is no such page." });
    views.push({ pageId: page.id });
    return { title: page.title, content: page.content };
  });

  app.delete<{ Params: { id: string } }>("/pages/:id", async (request, reply) => {
    await client.pages.delete(request.params.id);
    return reply.code(204).send();
  });

  app.setErrorHandler((error, _request, reply) => {
    if (InvalidInputError.is(error) || BadRequestError.is(error)) {
      return reply.code(422).send({ fields: error.fieldErrors });
    }
    if (NotFoundError.is(error)) return reply.code(404).send({ message: "There is no such page." });
    if (RateLimitError.is(error)) {
      const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
      return reply.code(503).header("Retry-After", seconds).send({ message: "Please try again later." });
    }
    return reply.send(error);
  });
  // Runs once no request is in flight any more.
  app.addHook("onClose", () => views.close().then(() => undefined));
  return app;
}

if (process.argv[1] === import.meta.filename) {
  // A visitor waits for these calls: give up early instead of waiting a minute for the rate limit.
  const client = new LandingPages({ retry: { maxWaitMs: 2000 }, totalTimeoutMs: 5000 });
  const views = client.analytics.queue({
    onLost: (event, reason) => console.error("lost a view of", event.pageId, reason),
  });
  const app = createFastifyApp(client, views);
  await app.listen({ port: Number(process.env["PORT"] ?? 3000) });
  console.log("ready");
  process.once("SIGTERM", () => void app.close().then(() => console.log(views.counts)));
}
