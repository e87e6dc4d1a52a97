import { gaps, switchIds } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { resolveDialect } from "../src/index.ts";
import { changeAt, createNamer, kinds, leadsTo, listPlaces, listTellable, type Place } from "./changed-answers.ts";
import { learn, runs } from "./learning.ts";

// A fixed seed by default; PROPERTY_RUNS=300 PROPERTY_SEED=random tries as many from a fresh one.
const tries = runs(4);
const dialects = fc
  .record(Object.fromEntries(switchIds.map((id) => [id, fc.constantFrom(...Object.keys(gaps[id].readings))])))
  .map((switches) => resolveDialect({ switches }));

test(`what changes at one place of one answer in ${tries} learned dialects is told there, and in no other answer`, async () => {
  let tried = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.noShrink(dialects),
      fc.noShrink(fc.nat()),
      fc.constantFrom(...kinds),
      async (dialect, choice, kind) => {
        const answers: Place[][] = [];
        const name = createNamer();
        const { dialect: file } = await learn(dialect, {}, async (request, response) => {
          answers.push(listPlaces(await name(request, response), await response.clone().text()));
          return response;
        });
        const places = listTellable(answers, kind);
        const place = places[choice % places.length];
        if (place === undefined) return;

        const options = { runId: "0a1b2c3d", compare: file };
        const { drift = [] } = await learn(dialect, options, changeAt(place, kind));

        const told = drift.map((one) => one.place);
        // What a service does is read from its answers, and may seem to be otherwise with them.
        const elsewhere = told.filter((one) => !one.startsWith(`${place.answer}/`) && !one.startsWith("switches/"));
        const isToldThere = elsewhere.length === 0 && told.some((one) => leadsTo(one, place));
        expect(isToldThere, `${kind} ${place.answer} ${place.way.join("/")}: ${told.join(", ")}`).toBe(true);
        tried += 1;
      },
    ),
    { numRuns: tries },
  );
  console.log(`${tried} changes of one place each, all told there`);
});
