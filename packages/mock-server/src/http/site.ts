import type { HeaderLookup } from "@landing-page-service/contract";

/** Tells whether a web page on another site sent a request: it must not steer the service of whoever looks at it. */
export function isFromForeignSite(headers: HeaderLookup): boolean {
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  const isOurSite = site === null || site === "same-origin" || site === "none";
  return !isOurSite || (origin !== null && origin !== `http://${headers.get("Host")}`);
}
