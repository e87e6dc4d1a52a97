/** Lets each method of an object be passed on by itself, as in `ids.map((id) => remove(id))` with `const { delete: remove } = client.pages`. */
export function bindMethods(object: object): void {
  const methods = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object) as object); // why: of an instance, so there is one
  for (const [name, { value }] of Object.entries(methods)) {
    if (typeof value !== "function" || name === "constructor") continue;
    const bound: unknown = value.bind(object);
    Object.defineProperty(object, name, { value: bound, writable: true, configurable: true });
  }
}
