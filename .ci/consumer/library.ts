// A library whose declarations contain types of the packages that it does not import.
import { createMockService } from "@landing-page-service/mock-server";
import { LandingPages } from "@landing-page-service/sdk";

const service = createMockService();
const account = service.account("test_library");
const client = new LandingPages(account.clientOptions);

export const stored = () => account.pages;
export const firstStored = () => account.pages[0];
export const events = () => account.events;
export const requests = () => account.requests();
export const endpoints = () => account.requests().map(({ endpoint }) => endpoint);
export const snapshot = () => service.snapshot();
export const faults = () => service.faults.list();
export const assignment = () => service.assignment("pg_1");
export const dialect = () => service.dialect;
export const listed = async () => (await client.pages.list()).data;
export const created = () =>
  client.pages.create({
    title: "Tea in Kyoto",
    content: "An afternoon among tea gardens.",
    slug: "tea-in-kyoto",
    cta: { type: "button", label: "Book", url: "https://tea.example/book" },
  });
