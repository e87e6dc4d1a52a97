import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

function noPlace(code: string) {
  const said = new Error(`connect ${code} 127.0.0.1:4010 - Local (undefined:undefined)`);
  return new TypeError("fetch failed", { cause: Object.assign(said, { code, syscall: "connect" }) });
}

/** A machine that has room for so many connections. */
function crowded(room: number, answer: () => Response = () => json({ id: "pg_1" }, 201)) {
  let open = 0;
  let refused = 0;
  const fetch = async () => {
    if (open >= room) {
      refused += 1;
      throw noPlace("EMFILE");
    }
    open += 1;
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    open -= 1;
    return answer();
  };
  return { fetch, refused: () => refused };
}

test.each([20, 3, 1])("500 creates on a machine with room for %i connections all come through", async (room) => {
  const { fetch, refused } = crowded(room);
  const { client } = scripted([], { fetch, maxInFlight: 400 });

  const pages = await Promise.all(Array.from({ length: 500 }, () => client.pages.create(somePage)));

  expect(pages).toHaveLength(500);
  expect(refused()).toBeLessThan(700);
});

test.each([
  ["EMFILE", "no more files may be open here: raise `ulimit -n`, or lower `maxInFlight`"],
  ["ENFILE", "no more files may be open here: raise `ulimit -n`, or lower `maxInFlight`"],
  ["EADDRNOTAVAIL", "no address or port is left here to connect from: lower `maxInFlight`"],
  ["ENOBUFS", "no memory is left here for connections: lower `maxInFlight`"],
])("where nobody gives a place back, the error about %s says what to do", async (code, advice) => {
  const { client } = scripted([noPlace(code)]);

  const errors = await Promise.all(Array.from({ length: 100 }, () => failureOf(client.pages.create(somePage))));

  for (const error of errors) {
    expect(error).toMatchObject({ name: "ConnectionError", code, mayHaveBeenApplied: false });
    expect(String(error)).toMatch(`no connection (connect ${code} 127.0.0.1:4010; ${advice}), after`);
  }
});

test("what this machine lacks takes no retries from calls that the service fails", async () => {
  const refusals = Array.from({ length: 120 }, () => noPlace("EMFILE"));
  const { client } = scripted([...refusals, status(500), json({ id: "pg_1" }, 201)]);
  for (let call = 0; call < 40; call += 1) await failureOf(client.pages.create(somePage));

  expect(await client.pages.create(somePage)).toMatchObject({ id: "pg_1" });
});

test("a client that never tries again says at once that there is no place", async () => {
  const { fetch } = crowded(1);
  const { client } = scripted([], { fetch, retry: false });
  const first = client.pages.create(somePage);

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ code: "EMFILE", attempts: [{ isSent: false }] });
  await first;
});
