// A script without a `catch`: all that a person sees is stderr.
import { LandingPages } from "@landing-page-service/sdk";

const client = new LandingPages({ apiKey: "test_smoke", baseUrl: process.argv[2], retry: { baseDelayMs: 1 } });
const cta = { type: "button", label: "Buy", url: "https://shop.example/trail" };
await client.pages.create({ title: "Trail running shoes", content: "Light shoes.", slug: "trail-running-shoes", cta });
