/** Adds vendored packages to the plugin's own `deno.json` or `deno.jsonc`, so that Deno runs the same bytes. */

import { isJsonObject, type JsonValue, withoutComments } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import { tryJson } from "../../primitives/json/json-text.ts";

/**
 * Names that a list explains already are not changed. The file's own layout and comments stay; a file is only created if Deno would find no
 * package by these names otherwise.
 *
 * @param names files by imported name, relative to the folder
 */
export async function addDenoImports(files: Platform["files"], directory: string, names: ReadonlyMap<string, string>): Promise<void> {
  const path =
    (await isFile(files, `${directory}/deno.jsonc`)) && !(await isFile(files, `${directory}/deno.json`)) ? "deno.jsonc" : "deno.json";
  const text = (await isFile(files, `${directory}/${path}`)) ? await files.readText(`${directory}/${path}`) : "{}\n";
  const document = tryJson(withoutComments(text));
  const imports = isJsonObject(document) ? (document["imports"] ?? {}) : undefined;
  // Deno itself reports a file that it cannot read.
  if (!isJsonObject(document) || !isJsonObject(imports)) return;
  const added = [...names].filter(([name]) => !Object.hasOwn(imports, name));
  if (added.length === 0) return;
  const plain = withoutComments(text) === text;
  const merged: Record<string, JsonValue> = { ...imports, ...Object.fromEntries(added) };
  const changed = plain
    ? `${JSON.stringify({ ...document, imports: merged }, undefined, 2)}\n`
    : insert(text, document["imports"] !== undefined, added);
  await files.writeAtomic(`${directory}/${path}`, changed);
}

async function isFile(files: Platform["files"], path: string): Promise<boolean> {
  return (await files.stat(path))?.kind === "file";
}

/** Inserts members before the first of `imports`, or before the first of the file, so that no comma is missing after a comment. */
function insert(text: string, hasImports: boolean, added: readonly (readonly [string, string])[]): string {
  const blank = withoutComments(text);
  const at = hasImports ? openingOfImports(blank) : blank.indexOf("{") + 1;
  const isEmpty = /^\s*\}/.test(blank.slice(at));
  const members = added.map(([name, target]) => `${JSON.stringify(name)}: ${JSON.stringify(target)}`);
  const list = hasImports
    ? members.map((member) => `\n    ${member}`).join(",")
    : `\n  "imports": {${members.map((member) => `\n    ${member}`).join(",")}\n  }`;
  return `${text.slice(0, at)}${list}${isEmpty ? "\n" : ","}${text.slice(at)}`;
}

/** Returns the offset after the brace of the outermost `imports`. */
function openingOfImports(blank: string): number {
  let depth = 0;
  for (const { 0: token, index } of blank.matchAll(/"(?:[^"\\\n]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && /^"imports"\s*:$/.test(token)) return blank.indexOf("{", index + token.length) + 1;
  }
  return blank.indexOf("{") + 1;
}
