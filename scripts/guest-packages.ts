/**
 * The packages that run inside the guest, as modules of the prelude.
 *
 * Each becomes one module `<name>.gen.ts` whose only export is `load()`: the package's code runs when the prelude sets up the
 * global object, after the globals that it needs, and never in a call. Types are in `sandbox/guest/<name>.gen.d.ts`.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { REPOSITORY } from "./run-command.ts";

interface GuestPackage {
  /** Name of the module in the prelude. */
  readonly module: string;
  /** The package, and its file that is bundled. */
  readonly entry: string;
  readonly license: string;
  /** Changes to the package's code that its own build has no option for. */
  readonly rewrite?: (code: string) => string;
}

/** Packages. To add one, add an entry here. */
const PACKAGES: readonly GuestPackage[] = [
  {
    module: "web-streams-polyfill.gen.ts",
    entry: "web-streams-polyfill/dist/ponyfill.mjs",
    license: "web-streams-polyfill/LICENSE",
    rewrite: hideMembers,
  },
  {
    module: "urlpattern-polyfill.gen.ts",
    entry: "urlpattern-polyfill/dist/urlpattern.js",
    license: "urlpattern-polyfill/LICENSE",
    rewrite: keepPaths,
  },
];

/** Modules by name, and the notices that their licences require in every copy. */
export async function bundlePackages(): Promise<{ readonly modules: [string, string][]; readonly notices: string[] }> {
  const modules: [string, string][] = [];
  const notices: string[] = [];
  for (const { module, entry, license, rewrite = (code: string) => code } of PACKAGES) {
    modules.push([module, asFunction(rewrite(await bundle(entry)))]);
    const text = await readFile(join(REPOSITORY, "node_modules", license), "utf8");
    notices.push(`${entry.split("/")[0] ?? ""}:\n${text.trim()}`);
  }
  return { modules, notices };
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(REPOSITORY, "node_modules", entry)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    charset: "utf8",
    legalComments: "none",
    minify: true,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`esbuild wrote no output for "${entry}"`);
  return file.text.trim();
}

/** Turns `…;export{a as A,B}` into `export function load(TypeError,RangeError){…;return{A:a,B}}`: its errors are then the prelude's. */
function asFunction(code: string): string {
  const found = /export\s*\{([^{}]*)\};?\s*$/.exec(code);
  if (found?.[1] === undefined) throw new Error("A bundled package does not end in its exports");
  const members = found[1].split(",").map((name) => {
    const [local = "", as] = name.trim().split(/\s+as\s+/);
    return as === undefined ? local : `${as}:${local}`;
  });
  return `export function load(TypeError,RangeError){${code.slice(0, found.index)}return{${members.join(",")}}}`;
}

/**
 * The polyfill keeps its slots in string properties such as `_state`, which a program would see in `Object.keys` and JSON. This
 * moves them to symbols, as in Deno's own streams. `slots` exports the symbols to the prelude.
 */
function hideMembers(code: string): string {
  const names = new Set<string>();
  const slot = (name: string): string => {
    names.add(name);
    return `$${name}`;
  };
  const hidden = code
    .replace(/\._([A-Za-z]\w+)/g, (_all, name: string) => `[${slot(name)}]`)
    .replace(/"_([a-z]\w+)"/g, (_all, name: string) => slot(name))
    .replace(/([{,])_([a-z]\w+):/g, (_all, before: string, name: string) => `${before}[${slot(name)}]:`)
    .replace(/([{}])_([a-z]\w+)\(/g, (_all, before: string, name: string) => `${before}[${slot(name)}](`);
  if (names.size < 50 || !names.has("disturbed") || /[.{}"]_[a-z]\w/.test(hidden)) {
    throw new Error("web-streams-polyfill has unexpected names for its slots (look at hideMembers)");
  }
  const symbols = [...names].map((name) => `$${name}=Symbol("[[${name}]]")`).join(",");
  return `const ${symbols};${hidden.replace(/export\s*\{/, "const slots={disturbed:$disturbed,state:$state,readableStreamController:$readableStreamController};export{slots,")}`;
}

/**
 * urlpattern-polyfill 10.1.0 parses a path as a reference, so "//host/path" lost its host and matched a pattern for "/path". This
 * follows https://urlpattern.spec.whatwg.org/#canon-encoding-callbacks. The other change fixes a typo in the package.
 */
function keepPaths(code: string): string {
  const changes: readonly (readonly [from: RegExp, to: string])[] = [
    [
      /(\w+)=new URL\((\w+)\?\1:"\/-"\+\1,"https:\/\/example\.com"\)\.pathname,\2\|\|\(\1=\1\.substring\(2,\1\.length\)\),\1/,
      '$$path($1,"https://example.com")',
    ],
    [
      /(\w+)\.pathname=(\w+)\[0\]!=="\/"\?"\/-"\+\2:\2,\2\[0\]!=="\/"\?\1\.pathname\.substring\(2,\1\.pathname\.length\):\1\.pathname/,
      '$$path($2,"https://example.com")',
    ],
    [/new URL\(`\$\{\w+\}:\$\{(\w+)\}`\)\.pathname/, "$$opaque($1)"],
    [/new URL\(`data:\$\{(\w+)\}`\)\.pathname/, "$$opaque($1)"],
    [/"wws"/, '"wss"'],
  ];
  const helpers =
    'const $path=(e,o)=>{let n=e[0]=="/",u=new URL(o);u.pathname=n?e:"/-"+e;let p=u.pathname;return n||p.slice(0,2)!="/-"?p:p.slice(2)},' +
    '$opaque=e=>e[0]=="/"?$path(e,"a://h"):new URL("data:-"+e).href.slice(6);';
  return changes.reduce((before, [from, to]) => {
    if (before.match(new RegExp(from, "g"))?.length !== 1) throw new Error(`urlpattern-polyfill has no ${from.source} (look at keepPaths)`);
    return before.replace(from, to);
  }, helpers + code);
}
