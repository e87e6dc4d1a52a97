import { type Endpoint, type EndpointName, endpoints } from "@landing-page-service/contract";

/** What a method and path lead to. */
export type Route =
  | {
      readonly kind: "endpoint";
      readonly endpoint: Endpoint;
      /** The `:id` segment, still percent-encoded; empty where the path has none. */
      readonly encodedId: string;
    }
  | { readonly kind: "document"; readonly document: "home" | "openapi" }
  | { readonly kind: "options"; readonly allow: string }
  | { readonly kind: "wrong-method"; readonly allow: string }
  | { readonly kind: "unknown-path" };

/** What anybody may read, without a key. */
const documents = new Map<string, "home" | "openapi">([
  ["/", "home"],
  ["/openapi.json", "openapi"],
]);
const rowsByPath = Map.groupBy<Endpoint["path"], Endpoint>(Object.values(endpoints), (endpoint) => endpoint.path);

/** Where the endpoints are, as the spec writes it. */
export const endpointPaths: readonly string[] = Array.from(rowsByPath.keys());

/** Finds the endpoint of a request; HEAD goes where GET goes. Gap: see docs/spec-gaps.md#method-routing */
export function matchRoute(method: string, path: string): Route {
  const document = method === "GET" || method === "HEAD" ? documents.get(path) : undefined;
  if (document !== undefined) return { kind: "document", document };
  const id = /^\/api\/content\/([^/]+)$/.exec(path)?.[1];
  const rows = id === undefined ? rowsOf(path) : rowsByPath.get("/api/content/:id");
  if (rows === undefined) return { kind: "unknown-path" };
  const wanted = method === "HEAD" ? "GET" : method;
  const endpoint = rows.find((row) => row.method === wanted);
  if (endpoint !== undefined) return { kind: "endpoint", endpoint, encodedId: id ?? "" };
  return { kind: method === "OPTIONS" ? "options" : "wrong-method", allow: allowOf(rows) };
}

/** Name of the endpoint that a route leads to, if any. */
export function endpointName(route: Route): EndpointName | undefined {
  return route.kind === "endpoint" ? route.endpoint.name : undefined;
}

function rowsOf(path: string): readonly Endpoint[] | undefined {
  return path === "/api/content" || path === "/api/analytics/view" ? rowsByPath.get(path) : undefined;
}

function allowOf(rows: readonly Endpoint[]): string {
  const methods = rows.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...methods, "OPTIONS"].join(", ");
}
