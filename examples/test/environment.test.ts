// A program that builds its own client reaches the mock without an option, a server or a change.
import { test, useMockService } from "@landing-page-service/mock-server/vitest";
import { LandingPages } from "@landing-page-service/sdk";
import { describe, expect, test as plainTest } from "vitest";

const cta = { type: "button", label: "Book", url: "https://tea.example/book" };

/** As in an app, the client reads the environment. */
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

test("a client that calls another host gets an error at once that says why", async ({ mock }) => {
  const client = new LandingPages({ apiKey: mock.apiKey, baseUrl: "https://service.example" });

  await expect(client.pages.list()).rejects.toThrow(/421.*service\.example is not the mock/);
  expect(mock.requests()).toEqual([]);
});

describe("in a file that sets the environment for all of its tests", () => {
  const mock = useMockService();

  plainTest.for<[string, () => void]>([
    ["takes the base URL away", () => void delete process.env["LANDING_PAGES_BASE_URL"]],
    ["has a key of its own", () => void (process.env["LANDING_PAGES_API_KEY"] = "test_of_my_own")],
    [
      "takes both away",
      () => {
        delete process.env["LANDING_PAGES_BASE_URL"];
        delete process.env["LANDING_PAGES_API_KEY"];
      },
    ],
    ["leaves them as they are", () => {}],
  ])("a client without options works in a test that %s, whatever the previous test did", async ([, spoil]) => {
    await publish();

    expect(mock().pages).toHaveLength(1);
    spoil();
  });
});
