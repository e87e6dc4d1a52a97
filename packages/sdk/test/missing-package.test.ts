import { expect, test, vi } from "vitest";
import { ConfigurationError } from "../src/index.ts";
import { failureOf, json, scripted } from "./setup.ts";

test("without the package that sends, every call is refused at once, and nothing is sent", async () => {
  vi.doMock("ky", () => {
    throw new Error("Cannot find package 'ky'");
  });
  const { client, requests } = scripted([json([])]);

  const errors = [await failureOf(client.pages.list()), await failureOf(client.pages.delete("pg_1"))];

  for (const error of errors) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("The package `ky`, which the client sends with, cannot be loaded");
    expect(error).toMatchObject({ cause: expect.any(Error) as unknown });
  }
  expect(requests).toEqual([]);
});
