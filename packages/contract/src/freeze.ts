/**
 * Freezes a value with all it holds, as far as those are arrays and plain objects, and gives it back: what everybody shares,
 * nobody changes.
 */
/* @__NO_SIDE_EFFECTS__ */
export function freezeDeep<Value>(value: Value): Value {
  if (isPlain(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freezeDeep(member);
  }
  return value;
}

/** Whether a value is an array or an object without a class, of whichever realm: jest gives each test file its own. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
