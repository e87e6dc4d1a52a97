// What is passed under a name that nobody reads is refused rather than silently without effect. Each set of options has a table of
// its names beside its type.
import { nearest } from "@landing-page-service/contract";
import { ConfigurationError } from "./errors.ts";

/** Names as the type has them, all of them: the compiler says when one is missing or too many. */
export type Names<Options> = { readonly [Name in keyof Required<Options>]: true };

/** What is refused, and how it is told. */
interface Refusal {
  /** What the names stand below, such as `retry`. @defaultValue nothing */
  readonly below?: string;
  /** Whether other names have a meaning too: then only one that looks like a known one is refused. @defaultValue false */
  readonly isOpen?: boolean;
}

/**
 * Refuses options that nobody reads, and what is no object of options at all.
 *
 * @throws {ConfigurationError} that names the nearest known option.
 */
export function refuseUnknown(names: Names<object>, options: unknown, { below, isOpen = false }: Refusal = {}): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ConfigurationError(`\`${below ?? "options"}\` must be an object.`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const known = Object.keys(names);
    const meant = nearest(name, known);
    if (isOpen && meant === undefined) continue;
    const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean \`${meant}\`?`;
    throw new ConfigurationError(`There is no option \`${below === undefined ? "" : `${below}.`}${name}\`: ${hint}`);
  }
}

/**
 * Refuses whatever is passed to a method that takes nothing.
 *
 * @throws {ConfigurationError} that names the method.
 */
export function refuseAll(method: string, given: readonly unknown[]): void {
  if (given.some((each) => each !== undefined)) throw new ConfigurationError(`\`${method}\` takes no options.`);
}
