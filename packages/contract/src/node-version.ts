// Whether the platform is new enough, told before anything is loaded that an old one does not know. So this imports nothing.
const neededNode = "22.12";
const runtime = globalThis as Runtime; // why: not every runtime has them

/**
 * Refuses to go on where Node is older than 22.12. Call it before anything else is imported. Bun, Deno and workerd are never refused.
 *
 * @throws {Error} with one sentence that names the package, the release it needs, and the one that runs.
 */
export function refuseOldNode(packageName: string): void {
  const version = runtime.process?.versions?.node;
  // The name is asked for last, because Node makes its navigator when somebody does.
  if (version !== undefined && isOlder(version, neededNode) && isNode())
    throw new Error(`${packageName} needs Node ${neededNode} or newer, and this is Node ${version}.`);
}

/** Bun, Deno and workerd say that they are some Node too, but not under its name. Node has told its name since 21. */
function isNode(): boolean {
  return runtime.navigator?.userAgent?.startsWith("Node.js/") ?? true;
}

function isOlder(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

interface Runtime {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: { readonly versions?: { readonly node?: string } };
}
