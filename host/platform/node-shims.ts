/**
 * Resolves Node's modules for vendored packages: to the sandbox's own module if it exists, else to a module that throws on every use. Many
 * packages import a module for one feature that a plugin may never use, or another package that need not be installed.
 */

import { builtinModules } from "node:module";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";

/** Prefix of missing modules in esbuild's metafile. */
export const MISSING: string = "bascule-missing";
/** Namespace for `require`, which returns the default export and not the namespace object. */
const REQUIRED = "bascule-required";
const DEFAULT = "bascule-default";
const ASKED = Symbol();
/** Names of this bundler's own modules. */
const OWN = /^bascule-[a-z]+(?::|$)/;

const BUILTIN: ReadonlySet<string> = new Set(builtinModules);

/** Creates the esbuild plugin. @param available `node:` names that the sandbox provides. */
export function nodeShims(available: ReadonlySet<string>): Plugin {
  return {
    name: "bascule-node",
    setup(build) {
      build.onResolve({ filter: /^[@\w]/ }, (args) => {
        const name = nodeName(args.path);
        return name === undefined ? resolvePackage(build, args) : resolve(build, args, name);
      });
      build.onResolve({ filter: /^bascule-default:/ }, ({ path }) => ({ path: path.slice(DEFAULT.length + 1), namespace: DEFAULT }));
      build.onLoad({ filter: /.*/, namespace: DEFAULT }, ({ path }) => ({ contents: `export { default as value } from "${path}";` }));
      build.onLoad({ filter: /.*/, namespace: REQUIRED }, ({ path }) => ({
        contents: `module.exports = require("${DEFAULT}:${path}").value;`,
      }));
      build.onLoad({ filter: /.*/, namespace: MISSING }, ({ path }) => ({ contents: missingModule(path) }));
    },
  };

  /** Packages import others that are optional: those are missing if they are not installed. */
  async function resolvePackage(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | null> {
    const { path, kind, importer, namespace, resolveDir } = args;
    if (args.pluginData === ASKED || !importer.includes("node_modules") || OWN.test(path)) return null;
    const own = await build.resolve(path, { kind, importer, namespace, resolveDir, pluginData: ASKED });
    return own.errors.length === 0 ? own : { path, namespace: MISSING };
  }

  async function resolve(build: PluginBuild, args: OnResolveArgs, name: string): Promise<OnResolveResult | null> {
    const { path, kind, importer, namespace, resolveDir } = args;
    if (args.pluginData === ASKED) return null;
    // A package may name a replacement ("browser": { "fs": false }).
    if (!available.has(name) && !path.startsWith("node:")) {
      const own = await build.resolve(path, { kind, importer, namespace, resolveDir, pluginData: ASKED });
      if (own.errors.length === 0) return own;
    }
    if (!available.has(name)) return { path: name, namespace: MISSING };
    return kind === "require-call" ? { path: name, namespace: REQUIRED } : { path: name, external: true, sideEffects: false };
  }
}

/** Returns `node:fs` for `fs` and for `node:fs`; undefined for other names. */
function nodeName(path: string): string | undefined {
  if (path.startsWith("node:")) return path;
  return BUILTIN.has(path) ? `node:${path}` : undefined;
}

/**
 * Returns the source of a stub: every property exists, can be extended and inspected, and throws when it is called. The properties are on the
 * prototype, which is what an import of this CommonJS module inherits.
 */
function missingModule(name: string): string {
  const [what, advice] = name.startsWith("node:")
    ? [`A plugin has no ${name}`, "use web or Deno APIs"]
    : [`The package ${name} is not vendored`, "install it, and run \\`bascule vendor --update\\`"];
  return `const stub = (path) => {
  const refuse = () => {
    throw new Deno.errors.NotSupported(\`${what}, so \${path}() does not work: ${advice}\`);
  };
  return new Proxy(class {}, {
    get: (target, key) => (typeof key === "symbol" || key in target ? target[key] : stub(path + "." + key)),
    apply: refuse,
    construct: refuse,
  });
};
const all = new Proxy({}, { get: (target, key) => (typeof key === "symbol" || key === "then" || key === "__esModule" ? undefined : stub(key)) });
module.exports = Object.create(all, { default: { get: () => module.exports } });`;
}
