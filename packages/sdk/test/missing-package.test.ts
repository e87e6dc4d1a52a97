import { expect, test, vi } from "vitest";
import { ConfigurationError } from "../src/index.ts";
import { failureOf, json, scripted } from "./setup.ts";

test("without the package that sends, every call is refused at once, and nothing is sent", async () => {
  vi.doMock("ky", () => {
    throw new Error("Cannot find package 'ky'");
  });
  const { client, requests } = scripted([json([])]);

  for (const _ of [1, 2]) {
    const error = await failureOf(client.pages.list());

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("The package `ky`, which the client sends with, cannot be loaded");
    expect(error).toMatchObject({ cause: expect.any(Error) as unknown });
  }
  expect(requests).toEqual([]);
});
