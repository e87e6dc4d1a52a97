/** Calls a caller's callback so that nothing it throws, now or later, harms what calls it. */
export function notify<Args extends unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    const result: unknown = callback?.(...args);
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // Whoever watches must not change what happens.
  }
}
