/**
 * Names and lookups of the plugin's own files, as `/$plugin/…`. Readable without a grant, because the plugin's hash covers their bytes
 * (SPEC B9).
 */

import { isAtOrBelow } from "../../manifests/mod.ts";

export const ROOT = "/$plugin";
/** Maximum length of a path, the same as for other paths. */
const MAX_LENGTH = 4_096;

/** A file or folder of the plugin. */
export type OwnNode =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "directory"; readonly names: ReadonlyMap<string, "file" | "directory"> };

/** Returns the path inside the plugin's folder (`""` is the folder); undefined if `path` is outside or too long. */
export function ownPath(path: string): string | undefined {
  if (path.length > MAX_LENGTH || !isAtOrBelow(path, ROOT)) return undefined;
  const names: string[] = [];
  for (const name of path.slice(ROOT.length).split("/")) {
    // ".." above the folder stays in it, as "/.." stays in "/".
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

/** Returns the file or folder at a path. Folders are derived from the files' names. */
export function findOwn(files: ReadonlyMap<string, Uint8Array>, path: string): OwnNode | undefined {
  const bytes = files.get(path);
  if (bytes !== undefined) return { kind: "file", bytes };
  const prefix = path === "" ? "" : `${path}/`;
  const names = new Map<string, "file" | "directory">();
  for (const file of files.keys()) {
    if (!file.startsWith(prefix)) continue;
    const [name = "", ...below] = file.slice(prefix.length).split("/");
    names.set(name, below.length === 0 ? "file" : "directory");
  }
  return names.size === 0 && path !== "" ? undefined : { kind: "directory", names };
}

/** Copies the files into one piece of shared memory. */
export function shareFiles(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  let length = 0;
  for (const bytes of files.values()) length += bytes.length;
  const memory = new SharedArrayBuffer(length);
  let at = 0;
  return new Map(
    Array.from(files, ([path, bytes]) => {
      const shared = new Uint8Array(memory, at, bytes.length);
      shared.set(bytes);
      at += bytes.length;
      return [path, shared] as const;
    }),
  );
}
