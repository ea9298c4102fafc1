/** Resolves `@std/…` names in a checkout of denoland/std, by the `exports` of its packages. */

import type { Checkout } from "./checkout.ts";

/** Path in the checkout by name: `@std/path/join` is `path/join.ts`. */
export async function readStdModules(checkout: Checkout): Promise<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  for (const folder of await packageFolders(checkout)) {
    const bytes = await checkout.read(`${folder}/deno.json`);
    if (bytes === undefined) continue;
    const { name, exports } = readPackage(new TextDecoder().decode(bytes));
    for (const [key, path] of Object.entries(exports)) modules.set(name + key.slice(1), `${folder}/${path.replace(/^\.\//, "")}`);
  }
  return modules;
}

async function packageFolders(checkout: Checkout): Promise<readonly string[]> {
  // The workspace file lists the packages.
  const bytes = await checkout.read("deno.json");
  const document = JSON.parse(new TextDecoder().decode(bytes)) as { readonly workspace?: readonly string[] };
  return (document.workspace ?? []).map((folder) => folder.replace(/^\.\//, ""));
}

interface StdPackage {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** `exports` is a path or a table of paths. */
function readPackage(text: string): StdPackage {
  const document = JSON.parse(text) as { readonly name: string; readonly exports?: string | StdPackage["exports"] };
  const { name, exports = {} } = document;
  return { name, exports: typeof exports === "string" ? { ".": exports } : exports };
}
