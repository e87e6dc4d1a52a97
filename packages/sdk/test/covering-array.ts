import { gaps, switchIds, type Switches } from "@landing-page-service/contract";

type Choice = readonly [id: string, interpretation: string];

/**
 * Returns dialects in which every two interpretations of different gaps occur together at least once: a covering array of
 * strength two, built greedily. A bare array has no place for a total, so those pairs are left out.
 */
export function pairwiseDialects(): Partial<Switches>[] {
  const missing = new Map(allPairs().map((pair) => [pairKey(...pair), pair]));
  const rows: Partial<Switches>[] = [];
  // Gaps with many interpretations choose first, because they have the fewest free rows.
  const widestFirst = switchIds.toSorted((one, other) => choicesOf(other).length - choicesOf(one).length);
  for (const pair of missing.values()) {
    const row: Choice[] = [...pair];
    const gain = (choice: Choice) => row.filter((other) => missing.has(pairKey(other, choice))).length;
    for (const id of widestFirst) {
      if (row.some(([chosen]) => chosen === id)) continue;
      const possible = choicesOf(id).filter((choice) => row.every((other) => canMeet(other, choice)));
      const [best] = possible.toSorted((one, other) => gain(other) - gain(one));
      if (best !== undefined) row.push(best);
    }
    for (const [one, other] of pairsOf(row)) missing.delete(pairKey(one, other));
    rows.push(Object.fromEntries(row));
  }
  return rows;
}

/** Lists every two interpretations of different gaps that can occur together. */
export function allPairs(): [Choice, Choice][] {
  return pairsOf(switchIds.flatMap(choicesOf)).filter(([one, other]) => one[0] !== other[0] && canMeet(one, other));
}

function choicesOf(id: (typeof switchIds)[number]): Choice[] {
  return Object.keys(gaps[id].readings).map((interpretation) => [id, interpretation]);
}

function pairsOf(choices: readonly Choice[]): [Choice, Choice][] {
  return choices.flatMap((one, index) => choices.slice(index + 1).map((other): [Choice, Choice] => [one, other]));
}

function canMeet(one: Choice, other: Choice): boolean {
  const switches = Object.fromEntries([one, other]) as Partial<Switches>; // why: both come from the table
  return switches["list-envelope"] !== "array" || (switches["list-total"] ?? "none") === "none";
}

function pairKey(one: Choice, other: Choice): string {
  return [one.join("="), other.join("=")].toSorted().join(" ");
}
