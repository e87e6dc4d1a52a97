// What the bytes of an answer say. JSON is UTF-8, whatever is declared; some services write something else all the same.

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder("utf-8");

/** A text, and what its bytes were where they were not UTF-8. */
export interface Decoded {
  readonly text: string;
  /** Name of the encoding, or that the bytes are of none. */
  readonly charset?: string;
}

/**
 * Decodes a body: as UTF-8 where it can be that, for many declare what they do not send, else as its `Content-Type` declares, else
 * with replacements for what is not UTF-8. Nothing is lost for a letter that cannot be read.
 */
export function decode(bytes: Uint8Array, headers: Headers): Decoded {
  const utf16 = findUtf16(bytes);
  if (utf16 !== undefined) return { text: new TextDecoder(utf16).decode(bytes), charset: utf16 };
  const declared = readDeclared(headers);
  // An escape is never in JSON, but begins every foreign letter of an encoding that has ASCII bytes only.
  const isEscaped = declared !== undefined && bytes.includes(0x1b);
  const text = isEscaped ? undefined : decodeStrictly(bytes);
  if (text !== undefined) return { text };
  if (declared === undefined) return { text: lenient.decode(bytes), charset: "bytes that are not UTF-8" };
  return { text: declared.decode(bytes), charset: declared.encoding };
}

/** UTF-16 is told by its mark, or by the first letter of JSON, which has a byte of zero. Source: Encoding, "BOM sniff" */
function findUtf16([first, second]: Uint8Array): "utf-16be" | "utf-16le" | undefined {
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return (first === 0xff && second === 0xfe) || (first !== 0 && second === 0) ? "utf-16le" : undefined;
}

/** The decoder for what is declared; `undefined` where that is UTF-8, nothing, or unknown. */
function readDeclared(headers: Headers): InstanceType<typeof TextDecoder> | undefined {
  const label = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(headers.get("Content-Type") ?? "")?.[1];
  if (label === undefined || /^utf-?8$/i.test(label)) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
