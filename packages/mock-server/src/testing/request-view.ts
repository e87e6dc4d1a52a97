import type { EndpointName, HeaderLookup } from "@landing-page-service/contract";
import type { MatchableRequest } from "./match.ts";

/** What a request is matched by, read from it when somebody asks. */
export class RequestView implements MatchableRequest {
  readonly endpoint: EndpointName | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number | undefined;
  readonly #request: ViewedRequest["request"];
  readonly #createdPath: string | undefined;

  constructor({ request, endpoint, answer, createdPath }: ViewedRequest) {
    this.endpoint = endpoint;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.status = answer?.status;
    this.#request = request;
    this.#createdPath = createdPath;
  }

  header(name: string): string | null {
    return this.#request.headers.get(name);
  }

  get content(): unknown {
    return readContent(new TextDecoder().decode(this.#request.body));
  }

  get pageId(): string | undefined {
    if (this.endpoint === "createPage") return readPageId(this.#createdPath ?? "");
    if (this.endpoint !== "trackEvent") return readPageId(this.path);
    const { content } = this;
    const isNamed = typeof content === "object" && content !== null && "pageId" in content;
    return isNamed && typeof content.pageId === "string" ? content.pageId : undefined;
  }
}

/** A request, with what has become of it so far. */
export interface ViewedRequest {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly headers: HeaderLookup;
    readonly body: Uint8Array | undefined;
  };
  readonly endpoint: EndpointName | undefined;
  readonly answer?: { readonly status: number | undefined } | undefined;
  /** Path of the page that it created. */
  readonly createdPath?: string | undefined;
}

/** What a body holds: its JSON, or else its text; `undefined` when it is empty. */
export function readContent(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readPageId(path: string): string | undefined {
  const encoded = /^\/api\/content\/([^/]+)$/.exec(path)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
