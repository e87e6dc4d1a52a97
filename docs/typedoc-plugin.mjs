// Changes typedoc's model of the packages before typedoc writes the API reference.
import { ReflectionGroup, ReflectionKind } from "typedoc";
import { MarkdownRendererEvent } from "typedoc-plugin-markdown";

/** The symbols that users need first, in this order. */
const first = ["LandingPages", "Pages", "Analytics"];

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.renderer.on(MarkdownRendererEvent.BEGIN, ({ project }) => {
    const reflections = Object.values(project.reflections);
    const classes = new Map(
      reflections.filter((found) => found.kindOf(ReflectionKind.Class)).map((found) => [found.name, found]),
    );
    for (const reflection of reflections) {
      linkThrownErrors(reflection, classes);
      linkGuides(reflection);
      if (!reflection.kindOf(ReflectionKind.Module)) continue;
      // An entry point is named as it is imported.
      if (!reflection.parent.isProject())
        reflection.name = [reflection.parent.name, reflection.name].filter((part) => part !== "index").join("/");
      groupErrors(reflection);
    }
  });
}

/** Writes the class of `@throws {SomeError} when …`, which the theme leaves out, as a link. */
function linkThrownErrors({ comment }, classes) {
  for (const tag of comment?.blockTags ?? []) {
    if (tag.tag !== "@throws" || tag.typeAnnotation === undefined) continue;
    const name = tag.typeAnnotation.replace(/^\{|\}$/g, "");
    const target = classes.get(name);
    const word =
      target === undefined
        ? { kind: "code", text: `\`${name}\`` }
        : { kind: "inline-tag", tag: "@link", text: name, target };
    tag.content.unshift(word, { kind: "text", text: " " });
  }
}

/** Turns the file of a guide, as docstrings name it, into a link of the site. */
function linkGuides({ comment }) {
  if (comment === undefined) return;
  for (const part of [comment.summary, ...comment.blockTags.map(({ content }) => content)].flat())
    if (part.kind === "text")
      part.text = part.text.replaceAll(/(?<![(/\w])docs\/([\w-]+)\.md(#[\w-]+)?/g, "[$1](/$1$2)");
}

/** Lists the classes of an entry point in two tables: first the classes for users, then the errors. */
function groupErrors(module) {
  const index = module.groups?.findIndex(({ title }) => title === "Classes") ?? -1;
  if (index === -1) return;
  const classes = module.groups[index];
  const errors = new ReflectionGroup("Errors", module);
  errors.children = classes.children.filter(({ name }) => name.endsWith("Error"));
  classes.children = classes.children
    .filter(({ name }) => !name.endsWith("Error"))
    .toSorted((one, other) => rank(one) - rank(other));
  module.groups.splice(index, 1, ...[classes, errors].filter(({ children }) => children.length > 0));
}

function rank({ name }) {
  const place = first.indexOf(name);
  return place === -1 ? first.length : place;
}
