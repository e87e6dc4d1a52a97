import { beforeEach, expect, test, vi } from "vitest";
import { ConfigurationError } from "../src/index.ts";
import { failureOf, json, scripted } from "./setup.ts";

beforeEach(() => {
  vi.doMock("ky", () => {
    throw new Error("Cannot find package 'ky'");
  });
});

test("without the package that runs hooks, every call with hooks is refused at once, and nothing is sent", async () => {
  const { client, requests } = scripted([json([])], { hooks: {} });

  const errors = [await failureOf(client.pages.list()), await failureOf(client.pages.delete("pg_1"))];

  for (const error of errors) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("The package `ky`, which runs the hooks, cannot be loaded");
    expect(error).toMatchObject({ cause: expect.any(Error) as unknown });
  }
  expect(requests).toEqual([]);
});

test("a call without hooks needs no package that runs them", async () => {
  const { client } = scripted([json([])]);

  await expect(client.pages.list()).resolves.toMatchObject({ data: [] });
});
