// Finds the API key and the base URL, and refuses wrong or unsafe ones.
import { copyError } from "./call/network-failure.ts";
import type { ClientOptions } from "./options.ts";
import { ConfigurationError } from "./report/errors.ts";
import { nameKind } from "./report/messages.ts";

/**
 * Makes the function that returns the key of each attempt. It rejects only with a `ConfigurationError`.
 *
 * @throws {ConfigurationError} when the key is missing or malformed. No message repeats it.
 */
export function readApiKey(apiKey: ClientOptions["apiKey"]): () => Promise<string> {
  const given = apiKey ?? readEnvironment("API key", "apiKey", "LANDING_PAGES_API_KEY");
  let latest = typeof given === "function" ? "" : checkApiKey(given, "`apiKey` must be", "a string or a function");
  if (typeof given !== "function") return async () => latest;
  return async () => {
    let key: unknown;
    try {
      key = await given();
    } catch (error) {
      // The error may repeat the key that the function returned before.
      const cause = copyError(error, [latest]);
      throw new ConfigurationError("The function passed as `apiKey` failed, so nothing could be sent.", { cause });
    }
    latest = checkApiKey(key, "The function passed as `apiKey` must return", "a string");
    return latest;
  };
}

/**
 * Returns the base URL without a slash at its end.
 *
 * @throws {ConfigurationError} when it is missing or malformed, or when it would not be safe to send the key there.
 */
export function readBaseUrl({ baseUrl, allowInsecure }: Pick<ClientOptions, "baseUrl" | "allowInsecure">): string {
  const { href } = Object(baseUrl) as { href?: unknown }; // why: a URL of another realm is no `instanceof URL`
  const passed: unknown = typeof href === "string" ? href : baseUrl;
  const given = passed ?? readEnvironment("base URL", "baseUrl", "LANDING_PAGES_BASE_URL");
  if (typeof given !== "string") throw wrongUrl(`be a string or a URL, not ${nameKind(given)}`);
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrongUrl(`be an absolute URL such as https://service.example: ${adviseOnUrl(given.trim())}`);
  if (url.username !== "" || url.password !== "")
    throw wrongUrl("not hold credentials: the service identifies you by `apiKey`");
  if (/[?#]/.test(given)) throw wrongUrl("have no query and no fragment: paths are added to its end");
  if (url.protocol === "http:" && !thisMachine.test(url.hostname) && allowInsecure !== true) {
    throw wrongUrl(
      `be https: over http others could read the key on its way to ${url.hostname}. Use http only for this machine, or pass \`allowInsecure: true\` if the network is safe`,
    );
  }
  if (/\/api(?:\/(?:content|analytics)(?:\/.*)?)?\/*$/i.test(url.pathname))
    throw wrongUrl("end before /api: the client adds paths such as /api/content to it");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

const thisMachine = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/;

function wrongUrl(mistake: string): ConfigurationError {
  return new ConfigurationError(`\`baseUrl\` must ${mistake}.`);
}

/** Advises how to correct a string that is not a URL. */
function adviseOnUrl(text: string): string {
  if (/^["'`]|["'`]$/.test(text)) return "leave out the quotes around it";
  if (/^https?:\/\//i.test(text))
    return "what follows https:// must be a host, and at most a port up to 65535 and a path";
  return "begin it with https://, or on this machine with http://";
}

/** @throws {ConfigurationError} in a browser, unless allowed. Browsers that tests emulate run in Node, so they are allowed. */
export function refuseBrowser(allowBrowser: boolean | undefined): void {
  const isNode = globalThis.process?.versions?.node !== undefined;
  if (isNode || !("document" in globalThis) || allowBrowser === true) return;
  throw new ConfigurationError(
    "This looks like a browser, where everyone could read the API key. Call the service from your own server, or pass `allowBrowser: true` if you know what you are doing.",
  );
}

// Gap: format of keys, see docs/spec-gaps.md#key-format
function checkApiKey(key: unknown, must: string, kinds: string): string {
  if (typeof key !== "string") {
    const advice = nameKind(key) === "a promise" ? ": await it, or pass a function that returns it" : "";
    throw new ConfigurationError(`${must} ${kinds}, not ${nameKind(key)}${advice}.`);
  }
  const mistake = mistakes.find(({ pattern }) => pattern.test(key));
  if (mistake !== undefined) throw new ConfigurationError(`${must} ${mistake.advice}.`);
  return key;
}

/** Common mistakes. No message repeats the value, because it may contain a key. */
const mistakes = [
  { pattern: /^bearer\s/i, advice: "the key alone: leave out `Bearer `, which the client adds" },
  { pattern: /^(?:undefined|null|NaN|\[object \w+\])$/, advice: "a key, not the name of a value that is missing" },
  { pattern: /^(["'`]).*\1$/s, advice: "the key alone, without the quotes around it" },
  { pattern: /^<[\w.-]+>$|^\$\{\w+\}$/, advice: "your key, not the placeholder for one" },
  {
    pattern: /^\s+\S+\s*$|^\S+\s+$/,
    advice: "the key alone, without the space or line break before or after it: call `trim()` on the content of a file",
  },
  { pattern: /^(?![\x21-\x7e]{1,512}$)/, advice: "1 to 512 visible ASCII characters, without spaces or line breaks" },
];

/**
 * Returns the environment variable that stands in for an option.
 *
 * @throws {ConfigurationError} when it is missing or empty.
 */
function readEnvironment(what: string, option: string, variable: string): string {
  const value = globalThis.process?.env[variable];
  if (value !== undefined && value !== "") return value;
  throw new ConfigurationError(`No ${what}: pass \`${option}\`, or set the environment variable ${variable}.`);
}
