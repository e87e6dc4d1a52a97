// A small Hono app on Node that shows landing pages and records each view through the queue. It shuts down without losing a view.
import { serve } from "@hono/node-server";
import { LandingPages } from "@landing-page-service/sdk";
import { Hono } from "hono";
import { html } from "hono/html";

const client = new LandingPages({ strict: true }); // LANDING_PAGES_API_KEY and LANDING_PAGES_BASE_URL; listed pages are whole
const views = client.analytics.queue({
  onLost: (event, reason) => console.error(`view of ${event.pageId} was lost:`, reason),
});

const app = new Hono();
app.get("/:slug", async (context) => {
  const { data } = await client.pages.list({ filters: { slug: context.req.param("slug") }, limit: 1 });
  const page = data[0];
  if (page === undefined) return context.notFound();
  views.push({ pageId: page.id }); // returns at once; the visitor does not wait for analytics
  return context.html(
    html`<title>${page.title}</title>
      <h1>${page.title}</h1>
      <p>${page.content}</p>
      <a href="${page.cta.url}">${page.cta.label}</a>`,
  );
});

const server = serve(
  { fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) },
  ({ port }) => console.log(`http://127.0.0.1:${port}`),
);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    server.close(() => void leave()); // first refuse new visitors, then send the pending views
  });
}

async function leave(): Promise<void> {
  await views.close();
  const { delivered, failed, dropped } = views.counts;
  console.log(`${delivered} views delivered, ${failed} failed, ${dropped} dropped`);
}
