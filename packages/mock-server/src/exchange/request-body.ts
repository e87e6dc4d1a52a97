import { isUtf8 } from "node:buffer";

/** The body of a request: its text and its JSON are read once, when somebody asks for them. */
export class RequestBody {
  readonly bytes: Uint8Array;
  #text: string | undefined;
  #parsed: { readonly value: unknown } | { readonly problem: string } | undefined;

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.bytes = bytes;
  }

  get isUtf8(): boolean {
    return isUtf8(this.bytes);
  }

  /** The body as text. The decoder drops a byte order mark. */
  get text(): string {
    return (this.#text ??= new TextDecoder().decode(this.bytes));
  }

  /** The body as JSON; `undefined` when it is none. */
  get json(): { readonly value: unknown } | undefined {
    const parsed = this.#parse();
    return "value" in parsed ? parsed : undefined;
  }

  /** Why the body is no JSON. */
  get problem(): string {
    const parsed = this.#parse();
    return "problem" in parsed ? parsed.problem : "";
  }

  /** What matchers compare: the JSON, else the text; `undefined` for no body. */
  get content(): unknown {
    return this.text === "" ? undefined : (this.json ?? { value: this.text }).value;
  }

  #parse(): { readonly value: unknown } | { readonly problem: string } {
    if (this.#parsed !== undefined) return this.#parsed;
    try {
      this.#parsed = { value: JSON.parse(this.text) as unknown }; // why: the platform says `any`
    } catch (error) {
      this.#parsed = { problem: error instanceof Error ? error.message : "something else" };
    }
    return this.#parsed;
  }
}
