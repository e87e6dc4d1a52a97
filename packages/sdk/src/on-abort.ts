// One listener at a signal for all who wait for it: a platform looks through the listeners there are whenever one comes or goes, and of
// calls that share a signal thousands may wait.

/** Who waits for a signal, and the listener that calls them. */
interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/** Calls back when a signal aborts that has not yet, once; gives the way to wait for that no longer. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const { callbacks, listener } = waiting.get(signal) ?? listen(signal);
  const call = () => callback();
  callbacks.add(call);
  return () => {
    callbacks.delete(call);
    if (callbacks.size > 0 || waiting.get(signal)?.callbacks !== callbacks) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const listener = () => {
    waiting.delete(signal);
    for (const call of callbacks) call();
  };
  signal.addEventListener("abort", listener, { once: true });
  const made = { callbacks, listener };
  waiting.set(signal, made);
  return made;
}
