import { isPlain } from "@landing-page-service/contract";
import { isAsymmetric } from "../exchange/literal.ts";

/**
 * A frozen copy of what a test gave, as far as it is arrays and plain objects: what the test changes later changes nothing
 * here. A matcher that decides for itself stays what it is.
 */
export function keepCopy<Value>(given: Value): Value {
  if (!isPlain(given) || isAsymmetric(given)) return given;
  const copy = Array.isArray(given)
    ? given.map((item: unknown) => keepCopy(item))
    : Object.fromEntries(Object.entries(given).map(([name, member]) => [name, keepCopy<unknown>(member)]));
  return Object.freeze(copy) as Value; // why: it has the same members
}
