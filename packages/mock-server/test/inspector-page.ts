import type { Browser, Page } from "playwright-core";

/** An inspector that is open in a browser. */
export interface InspectorPage {
  readonly page: Page;
  /** Errors of the page, and its requests to other hosts. */
  readonly complaints: string[];
  /** Opens a view as a deep link does, and waits until the stream is live. */
  readonly goTo: (view: string, query?: Record<string, string>) => Promise<void>;
}

/** Opens an empty tab. */
export async function openInspector(
  browser: Browser,
  url: string,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<InspectorPage> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(0); // the test has a time limit
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    const isOwn = /^(?:data|blob|about):/.test(request.url()) || request.url().startsWith(url);
    if (!isOwn) complaints.push(`requested ${request.url()}`);
  });
  return {
    page,
    complaints,
    async goTo(view, query = {}) {
      await page.goto("about:blank");
      await page.goto(`${url}/#/${view}?${new URLSearchParams(query).toString()}`);
      await page.getByText("Live", { exact: true }).waitFor();
    },
  };
}
