// Compiles without the types of Node and of recent JavaScript.
import { type EventQueue, LandingPages, type LandingPagesError } from "@landing-page-service/sdk";

export const client: LandingPages = new LandingPages({ apiKey: "test_demo" });
export const queue: EventQueue = client.analytics.queue();
export const report = (error: LandingPagesError): string => error.message;
