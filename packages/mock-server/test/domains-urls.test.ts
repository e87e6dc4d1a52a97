import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pageUrl, UrlRegistry } from "../src/state/urls.ts";

test("the first page keeps the slug as its path, the next get -2, -3, …", () => {
  const urls = new UrlRegistry();

  const paths = Array.from({ length: 4 }, () => claim(urls, "a.example", "shoes"));

  expect(paths).toEqual(["shoes", "shoes-2", "shoes-3", "shoes-4"]);
  expect(paths.map((path) => pageUrl("a.example", path))[1]).toBe("https://a.example/shoes-2");
});

test("each domain counts for itself", () => {
  const urls = new UrlRegistry();
  claim(urls, "a.example", "shoes");

  expect(claim(urls, "b.example", "shoes")).toBe("shoes");
  expect(urls.count("a.example")).toBe(1);
  expect(urls.count("c.example")).toBe(0);
});

test("on several domains at once, a path is numbered only where it is taken", () => {
  const urls = new UrlRegistry();
  claim(urls, "b.example", "shoes");

  const paths = urls.claim(["a.example", "b.example", "c.example"], "shoes");

  expect(paths).toEqual(["shoes", "shoes-2", "shoes"]);
  expect(["a.example", "b.example", "c.example"].map((name) => urls.count(name))).toEqual([1, 2, 1]);
  urls.release("a.example", "shoes");
  expect(["a.example", "b.example", "c.example"].map((name) => urls.isTaken(name, "shoes"))).toEqual([
    false,
    true,
    true,
  ]);
});

test("a slug that looks numbered and a numbered one never meet", () => {
  const urls = new UrlRegistry();

  const paths = ["shoes-2", "shoes", "shoes", "shoes-2", "shoes-3"].map((slug) => claim(urls, "a.example", slug));

  expect(paths).toEqual(["shoes-2", "shoes", "shoes-3", "shoes-2-2", "shoes-3-2"]);
});

test("a path is free again once its page is gone", () => {
  const urls = new UrlRegistry();
  for (const slug of ["shoes", "shoes", "shoes"]) claim(urls, "a.example", slug);

  urls.release("a.example", "shoes");
  urls.release("a.example", "shoes-3");
  urls.release("a.example", "never-claimed");

  expect(urls.isTaken("a.example", "shoes")).toBe(false);
  expect(["shoes", "shoes"].map((slug) => claim(urls, "a.example", slug))).toEqual(["shoes", "shoes-3"]);
});

test("two hundred thousand pages of one slug each get a path", () => {
  const urls = new UrlRegistry();

  for (let page = 0; page < 200_000; page += 1) claim(urls, "a.example", "sale");

  expect(urls.count("a.example")).toBe(200_000);
  expect(urls.isTaken("a.example", "sale-200000")).toBe(true);
  expect(claim(urls, "a.example", "sale")).toBe("sale-200001");
});

test("no two pages ever share a path, under any claims and releases", () => {
  const slug = fc.constantFrom("a", "a-2", "a-3", "a-2-2", "a-1", "a-02", "-2", "2", "__proto__", "constructor", "");
  const step = fc.oneof(
    fc.record({ claim: slug, domain: fc.constantFrom("x.example", "__proto__") }),
    fc.record({ release: fc.nat(100) }),
  );

  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const urls = new UrlRegistry();
      const held: { domain: string; path: string }[] = [];
      const isHeld = (domain: string, path: string) =>
        held.some((page) => page.domain === domain && page.path === path);
      const claims: { gaveTaken: boolean; keptSlug: boolean; slugWasFree: boolean }[] = [];

      for (const next of steps) {
        if ("claim" in next) {
          const { claim: slug, domain } = next;
          const slugWasFree = !isHeld(domain, slug);
          const path = claim(urls, domain, slug);
          claims.push({ gaveTaken: isHeld(domain, path), keptSlug: path === slug, slugWasFree });
          held.push({ domain, path });
        } else {
          const [gone] = held.splice(next.release % Math.max(held.length, 1), 1);
          if (gone !== undefined) urls.release(gone.domain, gone.path);
        }
        expect(held.filter(({ domain, path }) => !urls.isTaken(domain, path))).toEqual([]);
        expect(urls.count("x.example") + urls.count("__proto__")).toBe(held.length);
      }

      expect(claims.filter(({ gaveTaken }) => gaveTaken)).toEqual([]);
      expect(claims.filter(({ keptSlug, slugWasFree }) => keptSlug !== slugWasFree)).toEqual([]);
    }),
  );
});

test("when all pages are gone, the numbers start anew", () => {
  const slug = fc.constantFrom("a", "a-2", "a-3", "a-2-2");
  const claims = fc.array(slug, { maxLength: 30, size: "max" }).chain((slugs) => {
    const order = slugs.map((_, index) => index);
    return fc.tuple(fc.constant(slugs), fc.shuffledSubarray(order, { minLength: order.length }));
  });

  fc.assert(
    fc.property(claims, ([slugs, order]) => {
      const urls = new UrlRegistry();
      claim(urls, "x.example", "other");
      const paths = slugs.map((someSlug) => claim(urls, "x.example", someSlug));

      for (const index of order) urls.release("x.example", paths[index] ?? "");

      expect(["a", "a", "a"].map((someSlug) => claim(urls, "x.example", someSlug))).toEqual(["a", "a-2", "a-3"]);
    }),
  );
});

function claim(urls: UrlRegistry, domain: string, slug: string): string {
  const [path = ""] = urls.claim([domain], slug);
  return path;
}
