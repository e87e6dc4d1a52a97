import { Bar } from "./parts.tsx";
import type { AssignedDomain, Assignment, TermContribution } from "../../domains/assignment.ts";

/** Why a page got its domains: a bar for each term, then near misses and rejected domains. */
export function Why({ assignment }: { readonly assignment: Assignment }) {
  const { domains, nearMisses, rejected, explanation, how, threshold, cut } = assignment;
  const most = Math.max(
    ...domains.map(({ score }) => score),
    ...nearMisses.map(({ score }) => score),
    ...rejected.map(({ score }) => score),
    0.001,
  );
  return (
    <div class="why">
      <p dir="auto">{explanation}</p>
      {domains.map((domain) => (
        <DomainBars key={domain.name} domain={domain} most={most} />
      ))}
      {how === "match" && (
        <p class="hint">
          A domain needs evidence above {threshold.toFixed(1)} and a score of {cut.toFixed(1)}, 60 % of the best.
        </p>
      )}
      {nearMisses.length > 0 && <h4>Near misses</h4>}
      {nearMisses.map(({ name, score, reason }) => (
        <Bar
          key={name}
          label={name}
          note={nearReasons[reason]}
          value={score.toFixed(1)}
          share={score / most}
          kind="near"
        />
      ))}
      {rejected.length > 0 && <h4>Rejected</h4>}
      {rejected.map(({ name, score, detail }) => (
        <Bar key={name} label={name} note={detail} value={score.toFixed(1)} share={score / most} kind="rejected" />
      ))}
    </div>
  );
}

const nearReasons = {
  "thin-evidence": "too little evidence",
  "below-cut": "too far behind the best",
  "beyond-limit": "after three better ones",
};

function DomainBars({
  domain: { name, score, terms },
  most,
}: {
  readonly domain: AssignedDomain;
  readonly most: number;
}) {
  return (
    <div class="domain">
      <Bar
        label={name}
        note={score === 0 ? "no shared word" : ""}
        value={score.toFixed(1)}
        share={score / most}
        kind="kept"
      />
      {terms.map((term) => (
        <Bar
          key={term.term}
          label={term.term}
          note={tellFields(term)}
          value={term.score.toFixed(1)}
          share={term.score / most}
          kind="term"
        />
      ))}
    </div>
  );
}

/** Where a page has a word, and what of it counts. */
function tellFields({ fields, rarity, specificity, strength }: TermContribution): string {
  const places = fields.map(({ field, count }) => (count > 1 ? `${field} ${count}×` : field)).join(", ");
  const factors = Object.entries({ rarity, specificity }).map(([name, factor]) => [name, factor.toFixed(2)] as const);
  const notes = factors.flatMap(([name, factor]) => (factor === "1.00" ? [] : [` · ${name} ${factor}`]));
  return `${places} · ${strength === 2 ? "topic" : "keyword"}${notes.join("")}`;
}
