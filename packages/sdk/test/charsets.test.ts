// Answers whose bytes are not UTF-8: a success stays one, and the page's identifier is found.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { json, scripted, somePage } from "./setup.ts";

const page = { id: "w1", title: "Grün, £5 für Œuvre" };
const inLatin1 = { id: "w1", title: "Grün, £5" };
const latin1 = (value: unknown) => Buffer.from(JSON.stringify(value), "latin1");
const utf16le = (value: unknown) => Buffer.from(JSON.stringify(value), "utf16le");
const utf16be = (value: unknown) => utf16le(value).swap16();

function answer(bytes: Uint8Array, type = "application/json"): Response {
  return new Response(new Uint8Array(bytes), { status: 201, headers: { "Content-Type": type } });
}

test.each([
  ["iso-8859-1, declared", latin1(inLatin1), "application/json; charset=iso-8859-1", inLatin1.title, "windows-1252"],
  [
    "latin1 in quotes and capitals",
    latin1(inLatin1),
    'application/json;CHARSET="LATIN1"',
    inLatin1.title,
    "windows-1252",
  ],
  ["utf-16, declared", utf16le(page), "application/json; charset=utf-16", page.title, "utf-16le"],
  ["utf-16be, declared", utf16be(page), "application/json; charset=utf-16be", page.title, "utf-16be"],
  ["utf-16 that only its mark tells", Buffer.from([0xff, 0xfe, ...utf16le(page)]), undefined, page.title, "utf-16le"],
  ["utf-16be that nothing tells", utf16be(page), undefined, page.title, "utf-16be"],
  [
    "windows-1251",
    Buffer.from([...latin1({ id: "w1", title: "?" }).subarray(0, -3), 0xc4, 0xe0, 0x22, 0x7d]),
    "application/json; charset=windows-1251",
    "Да",
    "windows-1251",
  ],
  [
    "iso-2022-jp",
    Buffer.from('{"id":"w1","title":"\u001b$B$A$c\u001b(B"}', "latin1"),
    "application/json; charset=iso-2022-jp",
    "ちゃ",
    "iso-2022-jp",
  ],
  ["what is not quite UTF-8", latin1(inLatin1), undefined, "Gr\ufffdn, \ufffd5", "bytes that are not UTF-8"],
  [
    "an encoding nobody knows",
    latin1(inLatin1),
    "application/json; charset=klingon",
    "Gr\ufffdn, \ufffd5",
    "bytes that are not UTF-8",
  ],
])("a create answered in %s gives the page, and tells it once", async (_title, bytes, type, title, found) => {
  const { client, events } = scripted([answer(bytes, type)]);

  const created = await client.pages.create(somePage);
  await client.pages.create(somePage);

  expect(created).toMatchObject({ id: "w1", title });
  const told = events.filter((event) => event.type === "mismatch" && event.where === "charset");
  expect(told).toMatchObject([{ expected: "utf-8", found }]);
});

test.each(["iso-8859-1", "utf-16", "us-ascii", "utf-8"])(
  "an answer in UTF-8 is read as that, also where it declares %s",
  async (charset) => {
    const { client, events } = scripted([json(page, 201, { "Content-Type": `application/json; charset=${charset}` })]);

    expect(await client.pages.create(somePage)).toMatchObject(page);
    expect(events.filter((event) => event.type === "mismatch" && event.where === "charset")).toEqual([]);
  },
);

test("a list and the sentence of an error are read in their own encoding too", async () => {
  const type = "application/json; charset=iso-8859-1";
  const { client } = scripted([
    answer(latin1({ data: [inLatin1] }), type),
    new Response(new Uint8Array(latin1({ message: "Ungültig" })), { status: 400, headers: { "Content-Type": type } }),
  ]);

  expect((await client.pages.list()).data).toMatchObject([inLatin1]);
  await expect(client.pages.list()).rejects.toThrow("Ungültig");
});

test("no byte that is wrong in a text of a created page costs its identifier", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0x80, max: 0xff }), { minLength: 1, maxLength: 20 }),
      fc.constantFrom("", "; charset=utf-8", "; charset=iso-8859-15", "; charset=windows-1252", "; charset=koi8-r"),
      async (bytes, charset) => {
        const body = Buffer.concat([Buffer.from('{"id":"w1","title":"'), Buffer.from(bytes), Buffer.from('"}')]);
        const { client } = scripted([answer(body, `application/json${charset}`)]);

        expect(await client.pages.create(somePage)).toMatchObject({ id: "w1" });
      },
    ),
    { numRuns: 100 },
  );
});
