// A typedoc plugin: guides go by their headings, where typedoc would name them after their files.
import { type Application, Converter, type DocumentReflection } from "typedoc";

/** Called by typedoc when it starts. */
export function load(app: Application): void {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context: undefined, document: DocumentReflection) => {
    const text = document.content.map((part) => part.text).join("");
    const heading = /^# (.+)$/m.exec(text)?.[1];
    if (heading === undefined) throw new Error(`${document.name} has no heading`);
    const folder = document.name.slice(0, document.name.lastIndexOf("/") + 1);
    document.name = folder + heading.replaceAll("`", "");
  });
}
