import type crypto from "node:crypto";

let loaded: typeof crypto | undefined;

/** Node's cryptography, loaded when it is first needed: it takes some 4 ms, which an import of this package is spared. */
export function nodeCrypto(): typeof crypto {
  return (loaded ??= process.getBuiltinModule("node:crypto"));
}
