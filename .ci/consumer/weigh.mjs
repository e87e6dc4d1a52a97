// Imports a package and tells what was loaded for it: kilobytes of JavaScript, and modules of Node.
import { registerHooks } from "node:module";

let bytes = 0;
const builtins = [];
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (loaded.source) bytes += loaded.source.length;
    else if (loaded.format === "builtin") builtins.push(url);
    return loaded;
  },
});
await import(process.argv[2]);
console.log(JSON.stringify({ loadedKb: Math.ceil(bytes / 1000), builtins }));
