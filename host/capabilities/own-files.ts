/** The plugin's own files, as `/$plugin/…`: readable without a grant, from the bytes that the digest covers (SPEC B9). */

import type { JsonValue } from "../../manifests/mod.ts";

const ROOT = "/$plugin";
/** Of a path as it is written, like that of every other path. */
const MAX_LENGTH = 4_096;

/** What a path inside the plugin's folder names. */
export type OwnNode =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "directory"; readonly names: ReadonlyMap<string, "file" | "directory"> };

/** The path inside the plugin's folder (`""` is the folder), or undefined if `path` is not of that kind. One that is too long is none. */
export function ownPath(path: string): string | undefined {
  if (path.length > MAX_LENGTH || (path !== ROOT && !path.startsWith(`${ROOT}/`))) return undefined;
  const names: string[] = [];
  for (const name of path.slice(ROOT.length).split("/")) {
    // Going above the folder stays in it, as "/.." stays in "/".
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

/** What is at an own path; folders are what the files' names imply. */
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

/** `Deno.FileInfo` fields of an own file. Times are absent: they are not part of the digest. */
export function ownInfo(node: OwnNode): JsonValue {
  const isFile = node.kind === "file";
  return {
    isFile,
    isDirectory: !isFile,
    isSymlink: false,
    size: node.kind === "file" ? node.bytes.length : 0,
    mtimeMs: null,
    atimeMs: null,
    birthtimeMs: null,
    mode: isFile ? 0o444 : 0o555,
  };
}

/** The form in which own paths are shown. */
export function ownRealPath(path: string): string {
  return path === "" ? ROOT : `${ROOT}/${path}`;
}
