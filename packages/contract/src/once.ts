/** Makes a value when it is asked for, and once: what a program never asks for, it does not pay for at its start. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
