/** The page at `/`: where a person who opened the base URL goes on from. */
export function homePage(isControlOpen: boolean): string {
  const control = isControlOpen
    ? '<li><a href="/__mock/openapi.json">/__mock/openapi.json</a>: the control API</li>'
    : "<li>the control API is off; it opens with <code>listen(service, { control: true })</code></li>";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Landing Page Service (mock)</title>
<h1>Landing Page Service (mock)</h1>
<p>The API is at <code>/api</code>. Any key that begins with <code>test_</code> opens an account of its own:
<code>Authorization: Bearer test_demo</code></p>
<ul>
<li><a href="/openapi.json">/openapi.json</a>: the API</li>
${control}
<li><a href="/__mock/health">/__mock/health</a>, <a href="/__mock/assumptions">/__mock/assumptions</a></li>
</ul>
</html>
`;
}
