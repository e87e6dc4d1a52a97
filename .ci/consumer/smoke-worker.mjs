// Runs the smoke test in workerd, for the URLs in the query.
import { smoke } from "./smoke.mjs";

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    try {
      // workerd does not say at which point a connection failed.
      await smoke(searchParams.get("base"), searchParams.get("closed"), false);
      return new Response("ok");
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
