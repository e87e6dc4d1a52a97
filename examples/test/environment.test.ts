// A program that builds its own client reaches the mock: no option, no server, no change to the program.
import { test } from "@landing-page-service/mock-server/vitest";
import { LandingPages } from "@landing-page-service/sdk";
import { expect } from "vitest";

const cta = { type: "button", label: "Book", url: "https://tea.example/book" };

/** As an app has it: the client comes from the environment. */
async function publish(): Promise<string> {
  const { id } = await new LandingPages().pages.create({ title: "Tea", content: "An afternoon.", slug: "tea", cta });
  return id;
}

test("a client without options works in the account of the test that runs", async ({ mock }) => {
  const id = await publish();

  expect(mock.pages).toMatchObject([{ id, slug: "tea" }]);
  expect(mock).toHaveReceived({ endpoint: "createPage", times: 1 });
});

test("and in the next test's account in the next one", async ({ mock }) => {
  mock.faults.add({ endpoint: "createPage", status: 500, times: 1 });

  await publish();

  expect(mock.pages).toHaveLength(1);
});

test("a client that would call another host is told at once why it may not", async ({ mock }) => {
  const client = new LandingPages({ apiKey: mock.apiKey, baseUrl: "https://service.example" });

  await expect(client.pages.list()).rejects.toThrow(/421.*service\.example is not the mock/);
  expect(mock.requests()).toEqual([]);
});
