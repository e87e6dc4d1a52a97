import { batch, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Assignment } from "../../domains/assignment.ts";
import { call, forAccount } from "./api.ts";
import { TextField } from "./parts.tsx";
import { place } from "./state.ts";
import { Why } from "./why.tsx";

/** Assigns a page as it is typed, without storing it. */
export function DryRun() {
  const [title, slug, content] = [useSignal("Trail running shoes"), useSignal(""), useSignal("")];
  const [description, label, url] = [useSignal(""), useSignal("Buy"), useSignal("https://shop.example/")];
  const assignment = useSignal<Assignment | undefined>(undefined);
  const problem = useSignal("");
  const { account } = place.value;
  const page = {
    title: title.value,
    slug: slug.value,
    content: content.value,
    meta_description: description.value,
    cta: { type: "button", label: label.value, url: url.value },
  };
  const typed = JSON.stringify(page);
  useEffect(() => {
    let isLate = false;
    const timer = setTimeout(() => {
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
  }, [typed, account]);
  return (
    <>
      <h2>Try a page</h2>
      <p class="hint">Nothing is stored. The assignment follows what you type.</p>
      <div class="form">
        <TextField label="Title" value={title} wide />
        <TextField label="Slug" value={slug} placeholder="trail-running-shoes" />
        <TextField label="Description" value={description} />
        <TextField label="Content" value={content} rows={4} wide />
        <TextField label="Button label" value={label} />
        <TextField label="Button URL" value={url} />
      </div>
      <h3>Assigned domains</h3>
      {problem.value !== "" && <p class="problem">{problem.value}</p>}
      {assignment.value && <Why assignment={assignment.value} />}
    </>
  );
}
