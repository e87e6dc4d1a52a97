import { batch, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Assignment } from "../../domains/assignment.ts";
import { call, forAccount } from "./api.ts";
import { readForm, TextField } from "./parts.tsx";
import { place } from "./state.ts";
import { Why } from "./why.tsx";

/** Assigns a page as it is typed, without storing it. */
export function DryRun() {
  const typed = useSignal<Record<string, string>>(example);
  const assignment = useSignal<Assignment | undefined>(undefined);
  const problem = useSignal("");
  const { account } = place.value;
  useEffect(() => {
    let isLate = false;
    const { label = "", url = "", ...fields } = typed.value;
    const timer = setTimeout(() => {
      const page = { ...fields, cta: { type: "button", label, url } };
      call<Assignment>("POST", forAccount("evaluate", account), page).then(
        (answer) => !isLate && batch(() => ((assignment.value = answer), (problem.value = ""))),
        (error: unknown) => {
          if (!isLate) problem.value = error instanceof Error ? error.message : String(error);
        },
      );
    }, 120);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [typed.value, account]);
  return (
    <>
      <h2>Try a page</h2>
      <p class="hint">Nothing is stored. The assignment follows what you type.</p>
      <form class="form" onInput={(event) => (typed.value = readForm(event.currentTarget))}>
        <TextField label="Title" name="title" value={example.title} wide />
        <TextField label="Slug" name="slug" placeholder="trail-running-shoes" />
        <TextField label="Description" name="meta_description" />
        <TextField label="Content" name="content" rows={4} wide />
        <TextField label="Button label" name="label" value={example.label} />
        <TextField label="Button URL" name="url" value={example.url} />
      </form>
      <h3>Assigned domains</h3>
      {problem.value !== "" && <p class="problem">{problem.value}</p>}
      {assignment.value && <Why assignment={assignment.value} />}
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
