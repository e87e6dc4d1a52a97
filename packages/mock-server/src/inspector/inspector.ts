// Serves the inspector at `/`: its files, with headers that block everything else.
import { createHash } from "node:crypto";
import { leaveOutBody, type PlainAnswer, type PlainRequest } from "../http-types.ts";
import { isFromForeignSite } from "../http/request.ts";
import { previewStyle } from "./app/preview.ts";
import { assets } from "./assets.ts";

const styleHash = createHash("sha256").update(previewStyle).digest("base64");

/** The page loads only the two files below and sends requests only to this server. No other page can show it in a frame. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${styleHash}'`,
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "Content-Security-Policy": policy,
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Landing Page Service (mock)</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/__mock/inspector/app.css">
<script type="module" src="/__mock/inspector/app.js"></script>
<noscript>The inspector needs JavaScript. The API is at /api, the control API at /__mock/openapi.json.</noscript>
</html>
`;

const files: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  "/": { type: "text/html; charset=utf-8", body: page },
  "/__mock/inspector/app.js": { type: "text/javascript; charset=utf-8", body: assets.script },
  "/__mock/inspector/app.css": { type: "text/css; charset=utf-8", body: assets.style },
};

/** Responds to a request for the inspector's files. They contain no data. The control API has the data, and requires its token. */
export function answerInspector(request: PlainRequest): PlainAnswer {
  const { method, path } = request;
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (file === undefined) return refuse(404, "The inspector has no such file.");
  if (method !== "GET" && method !== "HEAD")
    return refuse(405, "The inspector accepts GET and HEAD.", { Allow: "GET, HEAD" });
  if (isFromForeignSite(request.headers) && !isLink(request))
    return refuse(403, "Another site may only link to the inspector.");
  const answer = { status: 200, headers: { ...headers, "Content-Type": file.type }, body: file.body };
  return method === "HEAD" ? leaveOutBody(answer) : answer;
}

/** Whether a person opens the page in a window of its own, perhaps by a link from another site. */
function isLink({ path, headers }: PlainRequest): boolean {
  return path === "/" && headers.get("Sec-Fetch-Mode") === "navigate" && headers.get("Sec-Fetch-Dest") === "document";
}

function refuse(status: number, detail: string, more: Record<string, string> = {}): PlainAnswer {
  return { status, headers: { ...headers, ...more, "Content-Type": "text/plain; charset=utf-8" }, body: `${detail}\n` };
}
