import type { PageRecord } from "@landing-page-service/contract";

/** Style of a previewed page. The content security policy of the inspector allows it by its hash. */
export const previewStyle = `
:root { color-scheme: light; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: #1b1f24; background: #fff; overflow-wrap: anywhere; }
header { padding: 10px 20px; font-size: 13px; color: #57606a; border-bottom: 1px solid #e4e7eb; }
main { max-width: 38rem; margin: 0 auto; padding: 24px 20px 48px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
.lead { color: #57606a; margin: 0 0 20px; }
.content { white-space: pre-wrap; }
.cta { display: inline-block; margin: 28px 0 6px; padding: 10px 18px; border-radius: 8px; background: #1f5fbf; color: #fff; font-weight: 600; }
.target { font-size: 13px; color: #57606a; }
`;

/** HTML of the page as its domain might show it. Every field is text, so no links and no scripts work. */
export function previewDocument(page: PageRecord): string {
  const { title, content, meta_description: lead, cta, domains } = page;
  const [domain] = domains;
  return `<!doctype html><html><meta charset="utf-8"><title>${text(title)}</title><style>${previewStyle}</style>
<header dir="auto">${text(domain?.url ?? domain?.name ?? "on no domain")}</header>
<main><h1 dir="auto">${text(title)}</h1>${lead ? `<p class="lead" dir="auto">${text(lead)}</p>` : ""}
<div class="content" dir="auto">${text(content)}</div>
<div class="cta" dir="auto">${text(cta.label)}</div><div class="target">${text(cta.url)}</div></main></html>`;
}

function text(value: string): string {
  return value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
