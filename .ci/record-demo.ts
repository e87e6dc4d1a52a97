// Runs the demo and draws what it prints into docs/demo.svg, so that the picture in the README cannot lie.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const columns = 112;
const [cellWidth, lineHeight, margin] = [8.4, 19, 16];
const colourCode = new RegExp(String.raw`${"\u001b"}\[(\d+)m`);
const colours: Record<string, string> = { "32": "#7ee787", "36": "#79c0ff", "33": "#e3b341", "31": "#ff7b72" };

const output = execFileSync(process.execPath, ["examples/demo.ts"], {
  cwd: root,
  encoding: "utf8",
  env: { ...process.env, FORCE_COLOR: "1", NO_COLOR: undefined, COLUMNS: String(columns) },
});
const lines = ["$ npx -y pnpm@10.34.8 demo", ...output.trimEnd().split("\n")];
const width = Math.ceil(columns * cellWidth + 2 * margin);
const height = Math.ceil(lines.length * lineHeight + 2 * margin);
writeFileSync(
  join(root, "docs/demo.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Output of pnpm demo">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3" xml:space="preserve">
${lines.map((line, index) => `<text x="${margin}" y="${margin + (index + 0.75) * lineHeight}">${drawLine(line)}</text>`).join("\n")}
</g>
</svg>
`,
);

/** Turns the colour codes of one line into spans. */
function drawLine(line: string): string {
  const style = { fill: "", bold: false, dim: false };
  return line
    .split(colourCode)
    .map((part, index) => {
      const code = index % 2 === 1 ? part : undefined; // the codes are what the text was split at
      if (code === undefined) return drawSpan(part, style);
      if (code === "1") style.bold = true;
      if (code === "2") style.dim = true;
      if (code === "22" || code === "0") style.bold = style.dim = false;
      if (code === "39" || code === "0") style.fill = "";
      style.fill = colours[code] ?? style.fill;
      return "";
    })
    .join("");
}

function drawSpan(text: string, style: { fill: string; bold: boolean; dim: boolean }): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const attributes = [
    style.fill && ` fill="${style.fill}"`,
    style.bold && ' font-weight="bold"',
    style.dim && ' fill-opacity="0.65"',
  ];
  return escaped === "" ? "" : `<tspan${attributes.filter(Boolean).join("")}>${escaped}</tspan>`;
}
