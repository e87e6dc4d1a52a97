import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Why a request is refused for the host it names. */
export interface HostRefusal {
  /** 400 when the host cannot be told, 421 when it is not ours. */
  status: 400 | 421;
  /** The rule that was broken, in words. */
  detail: string;
}

/** Tells whether a host name or address reaches nothing but this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** A host as clients spell it: lower case, IPv6 addresses in their shortest form. */
export function usualHost(host: string): string {
  const spelt = isIP(host) === 6 ? URL.parse(`http://[${host}]`)?.hostname.slice(1, -1) : undefined;
  return spelt ?? host.toLowerCase();
}

/**
 * Builds the check of the `Host` header against the names the server goes by: a web page that points its own name at
 * 127.0.0.1 ("DNS rebinding") must not reach the service. Addresses are safe from that, and a server on every interface
 * cannot know its own, so there each address is taken.
 *
 * @throws {TypeError} when an allowed host is not a name alone.
 */
export function hostCheck(
  boundHost: string,
  allowedHosts: readonly string[],
): (request: IncomingMessage, targetAuthority: string | undefined) => HostRefusal | undefined {
  const names = new Set(["localhost", "127.0.0.1", "::1", boundHost, ...allowedHosts.map(allowedName)]);
  const isWildcard = boundHost === "0.0.0.0" || boundHost === "::";

  return (request, targetAuthority) => {
    if (countHosts(request.rawHeaders) > 1) return { status: 400, detail: "Expected one Host header, got several." };
    const { host } = request.headers;
    if (host === undefined) return { status: 400, detail: "Expected a Host header." };
    // RFC 9112, section 3.2.2: an absolute target outranks the Host header.
    const name = hostName(targetAuthority ?? host);
    if (name === undefined) return { status: 400, detail: "Expected a Host header of a name and an optional port." };
    if (names.has(name) || (isWildcard && isIP(name) !== 0)) return undefined;
    return {
      status: 421,
      detail: `This server does not go by the name ${JSON.stringify(name)}; allow it with --allowed-host ${name}, or in listen() with allowedHosts.`,
    };
  };
}

function allowedName(text: string): string {
  const name = usualHost(text);
  if (isIP(name) !== 0 || /^[\w.-]+$/.test(name)) return name;
  throw new TypeError(`allowedHosts: expected a name without port, got ${JSON.stringify(text)}`);
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}

function hostName(authority: string): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(authority);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}
