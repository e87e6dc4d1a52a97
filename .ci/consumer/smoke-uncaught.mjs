// A script without a `catch`.
import { LandingPages } from "@landing-page-service/sdk";

const client = new LandingPages({ apiKey: "test_smoke", baseUrl: process.argv[2], retry: { baseDelayMs: 1 } });
const cta = { type: "button", label: "Buy", url: "https://shop.example/trail" };
await client.pages.create({ title: "Trail shoes", content: "Light.", slug: "trail-shoes", cta });
