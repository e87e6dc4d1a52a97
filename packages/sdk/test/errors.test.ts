import { expect, test } from "vitest";
import {
  ApiError,
  BadRequestError,
  CallError,
  InvalidInputError,
  LandingPagesError,
  TimeoutError,
} from "../src/index.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const failure = { method: "GET", path: "/api/content", attempts: [], mayHaveBeenApplied: false };
const answer = { status: 400, problem: { detail: "", errors: [] }, headers: new Headers({ "x-request-id": "r1" }) };
const facts = { ...failure, ...answer };

test("is() recognises an error by its class and by every class above it", () => {
  const error = new BadRequestError("refused", facts);

  expect(BadRequestError.is(error)).toBe(true);
  expect(ApiError.is(error)).toBe(true);
  expect(CallError.is(error)).toBe(true);
  expect(LandingPagesError.is(error)).toBe(true);
  expect(TimeoutError.is(error)).toBe(false);
  expect(ApiError.is(new Error("other"))).toBe(false);
  expect(ApiError.is(null)).toBe(false);
});

test("is() recognises an error made by another copy of the package", async () => {
  const copyUrl = new URL("../src/report/errors.ts?copy", import.meta.url).href;
  const copy = (await import(copyUrl)) as { BadRequestError: typeof BadRequestError }; // why: the query makes a second module

  const error = new copy.BadRequestError("refused", facts);

  expect(error).not.toBeInstanceOf(BadRequestError);
  expect(BadRequestError.is(error)).toBe(true);
  expect(ApiError.is(error)).toBe(true);
  expect(TimeoutError.is(error)).toBe(false);
});

test("is() of a caller's own subclass does not claim its siblings", () => {
  class OwnError extends ApiError {}

  expect(OwnError.is(new OwnError("own", facts))).toBe(true);
  expect(OwnError.is(new BadRequestError("refused", facts))).toBe(false);
});

test("toJSON gives every field as plain data", () => {
  const error = new BadRequestError("refused", facts, { cause: new TypeError("fetch failed") });

  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "BadRequestError",
    message: "refused",
    ...failure,
    ...answer,
    headers: { "x-request-id": "r1" },
    cause: { name: "TypeError", message: "fetch failed" },
  });
});

test("an input error names each wrong field the way people write it", () => {
  const error = new InvalidInputError("Create page", [
    { pointer: "#/title", detail: "expected string" },
    { pointer: "#/cta/url", detail: "expected an absolute URL" },
  ]);

  expect(error.message).toBe("Create page was not sent: title: expected string, cta.url: expected an absolute URL");
  expect(error.name).toBe("InvalidInputError");
});

test("field errors are there by name, for a form, of an input and of a refusal", async () => {
  const problem = {
    errors: [
      { pointer: "#/cta/url", detail: "must be an absolute URL" },
      { pointer: "#/title", detail: "too long" },
    ],
  };
  const { client } = scripted([json(problem, 400)]);

  const refused = await failureOf(client.pages.create(somePage));
  const input = await failureOf(client.pages.create({ ...somePage, title: 5, slug: undefined } as never)); // why: what plain JavaScript may pass

  expect(refused).toHaveProperty("fieldErrors", { "cta.url": "must be an absolute URL", title: "too long" });
  expect(Object.keys(Object(Reflect.get(Object(input), "fieldErrors")))).toEqual(
    expect.arrayContaining(["title", "slug"]),
  );
});
