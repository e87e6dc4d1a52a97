// Who the client is and where it goes: the key, the base URL, and where neither would be safe.
import { ConfigurationError } from "./errors.ts";
import type { ClientOptions } from "./options.ts";

/**
 * Makes the function that gives the key for an attempt.
 *
 * @throws {ConfigurationError} when there is no key or it cannot be one; the message never holds it.
 */
export function readApiKey(apiKey: ClientOptions["apiKey"]): () => string | Promise<string> {
  const given = apiKey ?? readEnvironment("LANDING_PAGES_API_KEY");
  if (given === undefined) {
    throw new ConfigurationError("No API key: pass `apiKey`, or set the environment variable LANDING_PAGES_API_KEY.");
  }
  if (typeof given !== "function") {
    const key = checkApiKey(given);
    return () => key;
  }
  return async () => {
    let key: unknown;
    try {
      key = await given();
    } catch (error) {
      throw new ConfigurationError("The function passed as `apiKey` failed, so nothing could be sent.", {
        cause: error,
      });
    }
    return checkApiKey(key);
  };
}

/**
 * Gives the base URL without a slash at its end.
 *
 * @throws {ConfigurationError} when there is none, or when the key would not be safe on the way to it.
 */
export function readBaseUrl({ baseUrl, allowInsecure }: Pick<ClientOptions, "baseUrl" | "allowInsecure">): string {
  const given = baseUrl ?? readEnvironment("LANDING_PAGES_BASE_URL");
  if (given === undefined) {
    throw new ConfigurationError(
      "No base URL: pass `baseUrl`, or set the environment variable LANDING_PAGES_BASE_URL.",
    );
  }
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ConfigurationError("`baseUrl` must be an absolute URL such as https://service.example.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigurationError("`baseUrl` must not hold credentials: the service knows you by `apiKey`.");
  }
  if (given.includes("?") || given.includes("#")) {
    throw new ConfigurationError("`baseUrl` must have no query and no fragment: paths are added to its end.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && allowInsecure !== true) {
    throw new ConfigurationError(
      `\`baseUrl\` must be https: over http the key could be read on its way to ${url.hostname}. Only this machine may be reached by http, or pass \`allowInsecure: true\` if the way is safe.`,
    );
  }
  if (/\/api(?:\/(?:content|analytics)(?:\/view)?)?\/*$/i.test(url.pathname)) {
    throw new ConfigurationError("`baseUrl` must end before /api: the client adds paths such as /api/content to it.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** @throws {ConfigurationError} in a browser, unless allowed. */
export function refuseBrowser(allowBrowser: boolean | undefined): void {
  const { document } = globalThis as { document?: unknown }; // why: the types know no browser
  if (document === undefined || allowBrowser === true) return;
  throw new ConfigurationError(
    "This looks like a browser, where everyone could read the API key. Call the service from your own server, or pass `allowBrowser: true` if you know what you do.",
  );
}

// Gap: format of keys, see docs/spec-gaps.md#key-format
function checkApiKey(key: unknown): string {
  if (typeof key === "string" && /^[\x21-\x7e]{1,512}$/.test(key)) return key;
  const hint = typeof key === "string" && /\s/.test(key) ? ", without spaces or line breaks" : "";
  throw new ConfigurationError(`\`apiKey\` must be 1 to 512 visible ASCII characters${hint}.`);
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

function readEnvironment(name: string): string | undefined {
  const value = typeof process === "undefined" ? undefined : process.env[name];
  return value === "" ? undefined : value;
}
