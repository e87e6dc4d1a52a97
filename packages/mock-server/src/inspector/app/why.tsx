import { useSignal } from "@preact/signals";
import type { Assignment, TermContribution } from "../../domains/assignment.ts";
import { forAccount } from "./api.ts";
import { Bar, type BarProps, Field, readForm, useRead } from "./parts.tsx";
import { route } from "./state.ts";

/** Why a page got its domains: a bar for each term, then near misses and rejected domains. */
export function Why({ assignment }: { readonly assignment: Assignment }) {
  const { domains, nearMisses, rejected, explanation, how, threshold, cut } = assignment;
  const most = Math.max(...[...domains, ...nearMisses, ...rejected].map(({ score }) => score), 0.001);
  const show = (kind: BarProps["kind"], label: string, score: number, note: string) => (
    <Bar key={`${kind} ${label}`} kind={kind} label={label} note={note} value={score.toFixed(1)} share={score / most} />
  );
  return (
    <div class="why">
      <p dir="auto">{explanation}</p>
      {domains.map(({ name, score, terms }) => [
        show("kept", name, score, score === 0 ? "no shared word" : ""),
        terms.map((term) => show("term", term.term, term.score, tellFields(term))),
      ])}
      {how === "match" && (
        <p class="hint">
          A domain needs evidence above {threshold.toFixed(1)} and a score of {cut.toFixed(1)}, 60 % of the best.
        </p>
      )}
      {nearMisses.length > 0 && <h4>Near misses</h4>}
      {nearMisses.map(({ name, score, reason }) => show("near", name, score, nearReasons[reason]))}
      {rejected.length > 0 && <h4>Rejected</h4>}
      {rejected.map(({ name, score, detail }) => show("near", name, score, detail))}
    </div>
  );
}

const nearReasons = {
  "thin-evidence": "too little evidence",
  "below-cut": "score too far below the best",
  "beyond-limit": "three domains are better",
};

/** Describes the fields that contain a term, and its factors. */
function tellFields({ fields, rarity, specificity, strength }: TermContribution): string {
  const places = fields.map(({ field, count }) => (count > 1 ? `${field} ${count}×` : field)).join(", ");
  const factors = Object.entries({ rarity, specificity }).map(([name, factor]) => `${name} ${factor.toFixed(2)}`);
  const notes = factors.filter((note) => !note.endsWith(" 1.00"));
  return [places, strength === 2 ? "topic" : "keyword", ...notes].join(" · ");
}

/** Assigns a page while a person types it, without storing it. */
export function DryRun() {
  const typed = useSignal<Record<string, string>>(example);
  const { label = "", url = "", ...fields } = typed.value;
  const body = { ...fields, cta: { type: "button", label, url } };
  const { data, problem } = useRead<Assignment>(forAccount("evaluate", route.value.account), { body });
  return (
    <>
      <h2>Try a page</h2>
      <p class="hint">Nothing is stored. The assignment follows what you type.</p>
      <form class="form" onInput={(event) => (typed.value = readForm(event.currentTarget))}>
        <Field label="Title" name="title" value={example.title} wide />
        <Field label="Slug" name="slug" placeholder="trail-running-shoes" />
        <Field label="Description" name="meta_description" />
        <Field label="Content" name="content" rows={4} wide />
        <Field label="Button label" name="label" value={example.label} />
        <Field label="Button URL" name="url" value={example.url} />
      </form>
      <h3>Assigned domains</h3>
      {problem !== "" && <p class="problem">{problem}</p>}
      {data && <Why assignment={data} />}
    </>
  );
}

const example = {
  title: "Trail running shoes",
  slug: "",
  meta_description: "",
  content: "",
  label: "Buy",
  url: "https://shop.example/",
};
