// The pages for all contenders. They are made from a number, so every run and every process has the same ones.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreatePage } from "@landing-page-service/sdk";

const words = `garden bicycle coffee running shoes hiking kitchen wedding yoga guitar camera travel hotel dental fitness
pizza organic vintage leather jewelry pottery puppy kitten aquarium mortgage insurance lawyer accounting startup software
cloud security backup podcast newsletter course language piano chess fishing sailing surfing skiing camping tent backpack
watch perfume skincare makeup barber tattoo massage sauna vegan bakery chocolate wine whisky brewery cheese honey tea
the a of to and in for with your our you we on from by is are at this that more best new free today now get make every
people family friends home work life day week season summer winter local fresh simple trusted modern quiet bright small
discover join order book try save learn share enjoy build offer guide plan price delivery quality design craft story team`
  .split(/\s+/)
  .filter(Boolean);

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A page to create, with a text of 60 words by default. */
export function makePage(number: number, wordCount = 60): CreatePage {
  const random = randomNumbers(number);
  const text = (count: number) => Array.from({ length: count }, () => words[Math.floor(random() * words.length)]);
  return {
    title: text(5).join(" "),
    content: text(wordCount).join(" "),
    slug: `${text(3).join("-")}-${number}`,
    meta_description: text(12).join(" "),
    cta: { type: "button", label: text(2).join(" "), url: `https://shop.example/offers/${number}` },
  };
}

/** The key that every client sends and every server requires. */
export const apiKey = "test_bench";

/** Creates pages in the account, one after the other, and returns the list as JSON text. */
export async function fillAccount(send: typeof fetch, baseUrl: string, count: number): Promise<string> {
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  for (let number = 0; number < count; number += 1) {
    const response = await send(`${baseUrl}/api/content`, {
      method: "POST",
      headers,
      body: JSON.stringify(makePage(number)),
    });
    if (response.status !== 201) throw new Error(`page ${number} was not created: ${await response.text()}`);
    await response.arrayBuffer();
  }
  return await (await send(`${baseUrl}/api/content?limit=${count}`, { headers })).text();
}

/** A folder that is deleted on disposal. */
export function temporaryFolder(): Disposable & { write: (name: string, value: unknown) => string } {
  const folder = mkdtempSync(join(tmpdir(), "landing-page-bench-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  return {
    write(name, value) {
      const path = join(folder, name);
      writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
      return path;
    },
    [Symbol.dispose]: remove,
  };
}
