import { gaps, switchIds } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { resolveDialect } from "../src/index.ts";
import { changeAt, createNamer, kinds, leadsTo, listPlaces, listDetectable, type Place } from "./changed-responses.ts";
import { learn, runs } from "./learning.ts";

// The seed is fixed by default. PROPERTY_RUNS=300 PROPERTY_SEED=random tries 300 cases from a new seed.
const tries = runs(4);
const dialects = fc
  .record(Object.fromEntries(switchIds.map((id) => [id, fc.constantFrom(...Object.keys(gaps[id].interpretations))])))
  .map((switches) => resolveDialect({ switches }));

test(`a check reports a change of one place in one response there and in no other response, in ${tries} learned dialects`, async () => {
  let tried = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.noShrink(dialects),
      fc.noShrink(fc.nat()),
      fc.constantFrom(...kinds),
      async (dialect, choice, kind) => {
        const places: Place[][] = [];
        const name = createNamer();
        const { dialect: file } = await learn(dialect, {}, async (request, response) => {
          places.push(listPlaces(await name(request, response), await response.clone().text()));
          return response;
        });
        const candidates = listDetectable(places, kind);
        const place = candidates[choice % candidates.length];
        if (place === undefined) return;

        const options = { runId: "0a1b2c3d", compare: file };
        const { drift = [] } = await learn(dialect, options, changeAt(place, kind));

        const reported = drift.map((finding) => finding.place);
        // The check infers behaviour from responses, so a changed response may also change a switch.
        const elsewhere = reported.filter(
          (path) => !path.startsWith(`${place.responseName}/`) && !path.startsWith("switches/"),
        );
        const isReportedThere = elsewhere.length === 0 && reported.some((path) => leadsTo(path, place));
        expect(isReportedThere, `${kind} ${place.responseName} ${place.path.join("/")}: ${reported.join(", ")}`).toBe(
          true,
        );
        tried += 1;
      },
    ),
    { numRuns: tries },
  );
  console.log(`${tried} changes of one place each, all reported there`);
});
