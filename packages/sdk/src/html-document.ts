import type { Body } from "@landing-page-service/contract";

/**
 * Whether an answer is an HTML document: a proxy's, or a login page, and not the service's. The type that it names is not enough, as web
 * frameworks send an `OK`, and even JSON, as `text/html`.
 */
export function isHtmlDocument({ headers, text }: { headers: Headers; text: string }, { kind }: Body): boolean {
  if (kind !== "text") return kind === "html";
  const isNamedSo = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.get("Content-Type") ?? "");
  return isNamedSo && /^\s*</.test(text);
}
