// A route handler for the Next.js App Router: put it at `app/api/pages/route.ts`. It needs only web standards.
import {
  BadRequestError,
  type CreatePage,
  InvalidInputError,
  LandingPages,
  RateLimitError,
} from "@landing-page-service/sdk";

/** Creates a page from a form. */
export async function POST(request: Request): Promise<Response> {
  // A visitor waits for this call: give up early instead of waiting a minute for the rate limit.
  const client = new LandingPages({ retry: { maxWaitMs: 2000 }, totalTimeoutMs: 5000 });
  try {
    const input = (await request.json()) as CreatePage; // why: the client checks it
    const page = await client.pages.create(input, { signal: request.signal });
    return Response.json({ id: page.id, url: page.domains[0]?.url }, { status: 201 });
  } catch (error) {
    if (InvalidInputError.is(error) || BadRequestError.is(error)) {
      return Response.json({ fields: error.fieldErrors }, { status: 422 });
    }
    if (RateLimitError.is(error)) {
      const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
      return Response.json(
        { message: "Please try again later." },
        { status: 503, headers: { "Retry-After": String(seconds) } },
      );
    }
    throw error;
  }
}
