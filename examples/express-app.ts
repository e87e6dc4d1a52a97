// An Express app that creates pages from a form, shows them, and records each view: `node examples/express-app.ts`.
import {
  BadRequestError,
  InvalidInputError,
  LandingPages,
  NotFoundError,
  RateLimitError,
} from "@landing-page-service/sdk";
import express, { type ErrorRequestHandler, type Express } from "express";

/** Makes the app. Its views go through a queue, so a visitor never waits for analytics. */
export function createExpressApp(client: LandingPages, views: ReturnType<LandingPages["analytics"]["queue"]>): Express {
  const app = express();
  app.use(express.json());

  app.post("/pages", async (request, response) => {
    const page = await client.pages.create(request.body);
    response.status(201).json({ id: page.id, url: page.domains[0]?.url });
  });

  app.get("/pages/:slug", async (request, response) => {
    const page = await client.pages.find({ slug: request.params.slug });
    if (page === undefined) {
      response.status(404).json({ message: "There is no such page." });
      return;
    }
    views.push({ pageId: page.id });
    response.json({ title: page.title, content: page.content });
  });

  app.delete("/pages/:id", async (request, response) => {
    await client.pages.delete(request.params.id);
    response.status(204).end();
  });

  app.use(handleError);
  return app;
}

/** Turns the errors of the client into responses. Express passes rejected handlers here. */
const handleError: ErrorRequestHandler = (error, _request, response, next) => {
  if (InvalidInputError.is(error) || BadRequestError.is(error)) {
    response.status(422).json({ fields: error.fieldErrors });
  } else if (NotFoundError.is(error)) {
    response.status(404).json({ message: "There is no such page." });
  } else if (RateLimitError.is(error)) {
    const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
    response.status(503).set("Retry-After", String(seconds)).json({ message: "Please try again later." });
  } else {
    next(error);
  }
};

if (process.argv[1] === import.meta.filename) {
  // A visitor waits for these calls: give up early instead of waiting a minute for the rate limit.
  const client = new LandingPages({ retry: { maxWaitMs: 2000 }, totalTimeoutMs: 5000 });
  const views = client.analytics.queue({
    onLost: (event, reason) => console.error("lost a view of", event.pageId, reason),
  });
  const server = createExpressApp(client, views).listen(Number(process.env["PORT"] ?? 3000), () =>
    console.log("ready"),
  );
  process.once("SIGTERM", () => {
    server.close(() => void views.close().then(() => console.log(views.counts)));
  });
}
