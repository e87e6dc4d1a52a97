"""Publishes a page and deletes it, with nothing but Python's standard library: python3 publish.py"""

import json
import os
import urllib.error
import urllib.request

BASE_URL = os.environ.get("LANDING_PAGES_BASE_URL", "http://127.0.0.1:4010")
API_KEY = os.environ.get("LANDING_PAGES_API_KEY", "test_python")


def call(method, path, body=None):
    """Sends one request. Returns the status, the requests left in the window, and the parsed body."""
    request = urllib.request.Request(
        BASE_URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            text = response.read()
            return response.status, response.headers["X-RateLimit-Remaining"], json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, error.headers["X-RateLimit-Remaining"], json.loads(error.read())


page = {
    "title": "Tea in Kyoto",
    "content": "An afternoon in a house built in 1903.",
    "slug": "kyoto-tea",
    "cta": {"type": "button", "label": "Book", "url": "https://tea.example/kyoto"},
}
status, remaining, created = call("POST", "/api/content", page)
print(status, created["domains"][0]["url"], f"({remaining} requests left)")

status, _, problem = call("POST", "/api/content", {**page, "slug": "Not a slug"})
print(status, problem["errors"][0])

status, _, _ = call("DELETE", f"/api/content/{created['id']}")
print(status)
if status >= 300:
    raise SystemExit(f"page {created['id']} is still there")
