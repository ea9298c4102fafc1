/** denoland/std: the test files of its packages, each package with all its imports as one plugin. */

import { posix } from "node:path";
import { type Checkout, digestOf, openCheckout } from "../checkout.ts";
import { readClosure } from "../imports-of.ts";
import { readStdModules } from "../std-modules.ts";
import { runDeno } from "../deno-results.ts";
import type { Suite, TestFileCase, TestPlugin } from "../suite.ts";

export const STD: Suite = {
  name: "std",
  variable: "BASCULE_STD",
  advice: "git clone --depth 1 https://github.com/denoland/std",
  async findCases(root) {
    const checkout = await openCheckout(root);
    const modules = await readStdModules(checkout);
    const folders = [...new Set([...modules.values()].map((path) => path.split("/")[0] ?? ""))].sort();
    const cases = await Promise.all(folders.map((folder) => casesOf(checkout, modules, folder)));
    return cases.flat();
  },
  askDeno: (root, ids) => runDeno(root, ids),
};

/** Data of the tests that other test files load. */
const DATA = /\/testdata\//;

async function casesOf(checkout: Checkout, modules: ReadonlyMap<string, string>, folder: string): Promise<readonly TestFileCase[]> {
  const inside = await checkout.list(folder);
  const tests = inside.filter((path) => /[_/]test\.ts$/.test(path) && !DATA.test(path));
  const resolve = (name: string, from: string): string | undefined =>
    /^\.\.?\//.test(name) ? posix.join(posix.dirname(from), name) : modules.get(name);
  const data = inside.filter((path) => /\/(?:testdata|__snapshots__)\//.test(path));
  const closures = await Promise.all(tests.map((test) => readClosure([test], resolve, checkout.read)));
  const files = new Map([...closures.flatMap((closure) => [...closure]), ...(await readClosure(data, () => undefined, checkout.read))]);
  const imports = Object.fromEntries([...modules].filter(([, path]) => files.has(path)).map(([name, path]) => [name, `./${path}`]));
  // `deno test` runs in the root of the checkout.
  const found = await readClosure(["deno.json", "README.md", ...data], () => undefined, checkout.read);
  // Some tests encode the lock file, whatever its content; a fresh checkout has none.
  const workspace = new Map([["deno.lock", found.get("deno.json") ?? new Uint8Array()], ...found]);
  const plugin: TestPlugin = { name: `std-${folder.replaceAll("_", "-")}`, files, imports, grants: GRANTS, workspace };
  return tests.map((id, index) => ({
    kind: "tests",
    id,
    digest: digestOf(closures[index] ?? new Map()),
    plugin,
    file: startOf(id, files),
  }));
}

/** Turns colours on for tests of colours: in a plugin `Deno.noColor` is true, because its output goes to models and files. */
const IN_COLOUR = /^(?:fmt\/(?:colors|printf)|internal\/styles)_test\.ts$/;

/** Entry module: the test file, or a module beside `files` that prepares it. */
function startOf(id: string, files: Map<string, Uint8Array>): string {
  if (!IN_COLOUR.test(id)) return id;
  const start = `in_colour/${id}`;
  const code = `Object.defineProperty(Deno, "noColor", { value: false });\nawait import("../../${id}");\n`;
  files.set(start, new TextEncoder().encode(code));
  return start;
}

/** As `deno test -A`. */
const GRANTS = { read: true, write: true, env: true, net: true, run: true, sys: true, ffi: true } as const;
