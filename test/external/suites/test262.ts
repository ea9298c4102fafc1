/** test262: the features that the loader rewrites and that the prelude adds or replaces, each test as a module of a plugin. */

import { createHash } from "node:crypto";
import { type Checkout, openCheckout } from "../checkout.ts";
import type { ScriptCase, Suite } from "../suite.ts";
import { test262Program } from "../test262-program.ts";

export const TEST262: Suite = {
  name: "test262",
  byFolder: true,
  variable: "BASCULE_TEST262",
  advice: "git clone --depth 1 https://github.com/tc39/test262",
  async findCases(root) {
    const checkout = await openCheckout(root);
    const paths = await Promise.all(FOLDERS.map((folder) => checkout.list(`test/${folder}`)));
    const tests = paths.flat().filter((path) => path.endsWith(".js") && !path.includes("_FIXTURE"));
    return (await Promise.all(tests.map((path) => caseOf(checkout, path)))).filter((one) => one !== undefined);
  },
};

/** Folders from which every test that can run as a module is taken. */
const FOLDERS = [
  ...["for-await-of", "for-of", "for-in", "for", "using", "await-using", "async-generator", "labeled", "break", "continue", "try"].map(
    (name) => `language/statements/${name}`,
  ),
  ...["yield", "await", "async-generator"].map((name) => `language/expressions/${name}`),
  "language/module-code",
  // Features that the prelude adds or replaces.
  ...[
    "Array/fromAsync",
    "AsyncDisposableStack",
    "BigInt/asUintN",
    "DisposableStack",
    "Proxy",
    "SuppressedError",
    "Uint8Array",
    "WeakRef",
  ].map((name) => `built-ins/${name}`),
];

/** Returns undefined if the test needs sloppy mode, a script's scope or another realm, which no module has. */
async function caseOf(checkout: Checkout, path: string): Promise<ScriptCase | undefined> {
  const text = decode(await checkout.read(path));
  const meta = /\/\*---([^]*?)---\*\//.exec(text)?.[1] ?? "";
  const flags = listOf(meta, "flags");
  if (["noStrict", "raw", "CanBlockIsFalse"].some((flag) => flags.includes(flag)) || /\$262\.createRealm/.test(text)) return undefined;
  const names = ["assert.js", "sta.js", ...(flags.includes("async") ? ["asyncHelpers.js"] : []), ...listOf(meta, "includes")];
  const harness = await Promise.all([...new Set(names)].map(async (name) => decode(await checkout.read(`harness/${name}`))));
  const folder = path.slice(0, path.lastIndexOf("/"));
  const mentioned = [...text.matchAll(/["']\.\/([^"'/]+\.js)["']/g)].map(([, name]) => `${folder}/${name ?? ""}`);
  const beside = (await checkout.list(folder)).filter((file) => file !== path && (file.includes("_FIXTURE") || mentioned.includes(file)));
  const fixtures = await Promise.all(beside.map(async (file) => [file, decode(await checkout.read(file))] as const));
  const negative = /negative:\s*\n\s+phase:\s*(\w+)\s*\n\s+type:\s*(\w+)/.exec(meta);
  return {
    kind: "script",
    id: path,
    digest: createHash("sha256")
      .update([text, ...harness, ...fixtures.flat()].join("\0"))
      .digest("hex")
      .slice(0, 12),
    files: {
      "main.js": test262Program({ path, harness, isAsync: flags.includes("async"), throws: negative?.[2] }),
      [path]: text,
      ...Object.fromEntries(fixtures),
    },
    readFile: () => Promise.resolve(undefined),
  };
}

/** Parses `flags: [a, b]`, or `- a` on separate lines. */
function listOf(meta: string, key: string): readonly string[] {
  const found = new RegExp(`^\\s*${key}:\\s*(?:\\[([^\\]]*)\\]|((?:\\s*\\n\\s*- .*)+))`, "m").exec(meta);
  return (found?.[1]?.split(",") ?? found?.[2]?.split("\n") ?? [])
    .map((name) => name.replace(/^\s*-\s*/, "").trim())
    .filter((name) => name !== "");
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
