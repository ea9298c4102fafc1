/** The lexical check of files that a manifest names (SPEC M4). The host checks links. */

import { printable } from "./names.ts";

export const MODULE_EXTENSIONS = [".ts", ".js", ".mjs"] as const;

/** Returns why `path` cannot name a module of a plugin, with advice after `; `; undefined if it can. */
export function checkModulePath(path: string): string | undefined {
  if (path.length > 512) return "A module path has at most 512 characters";
  if (path.includes("\\")) return `Module path "${printable(path)}" contains "\\"; write "/" between folders`;
  if (path.startsWith("/")) return `Module path "${printable(path)}" is absolute; write it relative to the plugin's folder`;
  if (/[:%?#\0]/.test(path))
    return `Module path "${printable(path)}" is not a plain path; write it relative to the plugin's folder, such as "main.ts"`;
  const segments = normalizeModulePath(path).split("/");
  if (segments.includes("..")) return `Module path "${printable(path)}" leaves the plugin's folder; put the file inside it`;
  if (segments.some((segment) => segment === "" || segment === "."))
    return `Module path "${printable(path)}" has an empty part; write it like "src/main.ts"`;
  const name = segments.at(-1) ?? "";
  if (!MODULE_EXTENSIONS.some((extension) => name.endsWith(extension) && name !== extension) || name.endsWith(".d.ts")) {
    return `Module path "${printable(path)}" is not a module; name a file that ends in ${MODULE_EXTENSIONS.join(", ")}`;
  }
  return undefined;
}

/** Turns `./main.ts` into `main.ts`. */
export function normalizeModulePath(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}
