// Attacks on the inspector by other sites, other host names and stored pages, in a real browser.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { create, send } from "./client.ts";
import { test as inspectorTest } from "./inspector-page.ts";

const key = "test_person";

/** Another site: its page, and the paths of its requests. */
const test = inspectorTest.extend("site", async () => {
  const site = { port: 0, page: "", hits: [] as string[] };
  const server = createServer((request, response) => {
    site.hits.push(request.url ?? "");
    response.setHeader("Content-Type", "text/html");
    response.end(site.page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close(() => server.closeAllConnections()));
  site.port = (server.address() as AddressInfo).port; // why: a TCP server's address is an object
  return site;
});

// To a browser, another port of the same machine is the same site but another origin.
test.for(["rebound.example", "127.0.0.1"])(
  "a page on %s cannot frame, run, read, write or hold it",
  async (host, { service, server, page, site }) => {
    await create(service, {}, key);
    const before = service.snapshot();
    site.page = `<iframe src="${server.url}/"></iframe><script src="${server.url}/__mock/inspector/app.js"></script>
<img src="${server.url}/__mock/accounts"><form method=post enctype=text/plain action="${server.url}/__mock/reset" target=form></form><iframe name=form></iframe>
<script>
document.forms[0].submit();
const call = (path, init) => fetch("${server.url}" + path, init).then((r) => r.type + " " + r.status, () => "refused");
const stream = new Promise((done) => { const live = new EventSource("${server.url}/__mock/requests/live"); live.onmessage = live.onopen = () => done("heard"); live.onerror = () => done("refused"); });
Promise.all([
  call("/__mock/accounts"), call("/__mock/accounts", { credentials: "include" }), call("/__mock/snapshot"), stream,
  call("/__mock/reset", { method: "POST" }), call("/__mock/faults", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"status":500}' }),
]).then((results) => call("/__mock/reset", { method: "POST", mode: "no-cors" }).then(() => (document.title = results.join())));
</script>`;
    await page.goto(`http://${host}:${site.port}/`);
    await expect.poll(() => page.title()).toBe(Array.from({ length: 6 }, () => "refused").join());
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.evaluate(`held = open("${server.url}"), undefined`),
    ]);
    await opened.getByText("Live", { exact: true }).waitFor();

    expect(await framed?.locator("nav").count()).toBe(0);
    expect(await opened.evaluate("opener")).toBeNull();
    expect(await page.evaluate("held.closed")).toBe(true);
    expect(service.snapshot()).toEqual(before);
    expect(service.faults.list()).toEqual([]);
    await opened.close();
  },
);

test("a stored page is shown as text, and runs or sends nothing", async ({ service, page, complaints, goTo, site }) => {
  const attack = hostileTo(`http://127.0.0.1:${site.port}`);
  const { id } = await create(
    service,
    {
      title: attack.slice(0, 250),
      content: `${attack}${"x".repeat(490_000)}`,
      meta_description: attack.slice(0, 300),
      cta: { type: "button", label: attack.slice(0, 100), url: "https://a.example/?<script>" },
    },
    key,
  );
  // An import may contain values that the API refuses.
  const records = JSON.stringify(service.account(key).snapshot());
  service
    .account(key)
    .restore(JSON.parse(records.replaceAll("https://a.example/?<script>", "javascript:top.hacked=1")));
  await send(service, "GET", `/api/content/${encodeURIComponent(attack).slice(0, 2_000)}`, { key });
  await goTo("pages", { account: key, id });
  const preview = page.frameLocator("iframe");
  await preview.locator("h1").waitFor();
  await preview.locator(".cta").click();
  const shown = await preview.locator("h1").innerText();
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByText("1 page").or(page.getByLabel("Events per page")).first().waitFor();
  await page.getByRole("link", { name: "Requests", exact: true }).click();
  for (const index of [0, 1]) {
    await page.locator(".row").nth(index).click();
    await page.getByLabel("Body of the response").waitFor();
  }

  expect(shown).toContain("<script>");
  expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
  expect(await page.locator("script:not([src]), img, a[href^=javascript], a[href^=http]").count()).toBe(0);
  expect(complaints).toEqual([]);
  expect(site.hits).toEqual([]);
});

test("live markup in a preview runs, opens and sends nothing", async ({ service, server, page, goTo, site }) => {
  const { id } = await create(service, {}, key);
  await goTo("pages", { account: key, id });
  await page.frameLocator("iframe").locator("h1").waitFor();
  const [, preview] = page.frames();
  const markup = `${hostileTo(`http://127.0.0.1:${site.port}`)}<p id=end>end</p>`;
  await page.locator("iframe").evaluate((frame, srcdoc) => void Object.assign(frame, { srcdoc }), markup);
  await page.frameLocator("iframe").locator("#end").waitFor();
  await page.frameLocator("iframe").getByText("leave").click();
  await page.frameLocator("iframe").getByText("send").click();

  expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
  expect(page.url()).toContain(server.url);
  expect(preview?.isDetached()).toBe(false);
  expect(site.hits).toEqual([]);
});

/** Markup that tries to run scripts, to navigate, and to send requests to a site. */
function hostileTo(url: string): string {
  return `"><img src=${url}/img onerror="top.hacked=1"><script>top.hacked=1;top.location="${url}/top"</script>
<script src=${url}/js></script><link rel=stylesheet href=${url}/css><link rel=preload as=image href=${url}/preload><style>@import "${url}/import"; body { background: url(${url}/background) }</style>
<meta http-equiv=refresh content="0;url=${url}/refresh"><base href=${url}/base><iframe src=${url}/frame></iframe><object data=${url}/object></object><video src=${url}/video></video><svg onload=top.hacked=1><image href=${url}/svg /></svg>
<a href="javascript:top.hacked=1" ping=${url}/ping>click</a><a target=_top href=${url}/leave>leave</a><form action=${url}/form target=_top><button>send</button></form>\u202e`;
}
