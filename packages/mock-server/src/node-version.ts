// Imported before all else by every door, so that who runs an old Node reads one sentence, and not what it does not know.
const neededNode = "22.12";
const runtime = globalThis as Runtime; // why: not every runtime has them

const version = runtime.process?.versions?.node;
// The name is asked for last, because Node makes its navigator when somebody does.
if (version !== undefined && isOlder(version, neededNode) && isNode())
  throw new Error(`@landing-page-service/mock-server needs Node ${neededNode} or newer, and this is Node ${version}.`);

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
