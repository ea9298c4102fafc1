/**
 * The plugin's own files, as `/$plugin/…`. Readable without a grant, because the plugin's hash covers their bytes (SPEC B9).
 *
 * The worker has them in shared memory and answers itself, so the guest's copy is the only one (SPEC LV2).
 */

import type { JsonValue } from "../../manifests/mod.ts";
import { type LocalAnswer, valueAnswer } from "./local-answer.ts";

const ROOT = "/$plugin";
/** Maximum length of a path, the same as for other paths. */
const MAX_LENGTH = 4_096;

/** A file or folder of the plugin. */
export type OwnNode =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "directory"; readonly names: ReadonlyMap<string, "file" | "directory"> };

/** Returns the path inside the plugin's folder (`""` is the folder); undefined if `path` is outside or too long. */
export function ownPath(path: string): string | undefined {
  if (path.length > MAX_LENGTH || (path !== ROOT && !path.startsWith(`${ROOT}/`))) return undefined;
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

/** A guest's operation on its own files. */
export interface OwnWish {
  readonly operation: string;
  /** Arguments in the guest's encoding. */
  readonly told: string;
  /** Maximum bytes of an answer. */
  readonly maxBytes: number;
}

/**
 * Answers an operation on the plugin's own files; undefined for other operations and paths. The answer's bytes are the file's, not a
 * copy.
 */
export function answerOwn({ operation, told, maxBytes }: OwnWish, files: ReadonlyMap<string, Uint8Array>): LocalAnswer | undefined {
  const verb = VERBS.get(operation);
  const written = verb === undefined ? undefined : pathOf(told);
  const path = written === undefined ? undefined : ownPath(written);
  if (path === undefined) return undefined;
  const subject = `${verb} '${written}'`;
  const node = findOwn(files, path);
  if (node === undefined) return fail("NotFound", "ENOENT", `No such file or directory (os error 2): ${subject}`);
  if (operation === "fs.realPath") return valueAnswer(path === "" ? ROOT : `${ROOT}/${path}`);
  if (operation === "fs.stat" || operation === "fs.lstat") return valueAnswer(ownInfo(node));
  if (operation === "fs.readFile") return readOwn(node, subject, maxBytes);
  if (node.kind === "file") return fail("NotADirectory", "ENOTDIR", `Not a directory (os error 20): ${subject}`);
  return valueAnswer(
    Array.from(node.names, ([name, kind]) => ({ name, isFile: kind === "file", isDirectory: kind === "directory", isSymlink: false })),
  );
}

/** Operation names in Deno's messages. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ["fs.readFile", "readfile"],
  ["fs.readDir", "readdir"],
  ["fs.stat", "stat"],
  ["fs.lstat", "lstat"],
  ["fs.realPath", "realpath"],
]);

/** Returns the path of an operation. Only parses arguments that contain the root. */
function pathOf(told: string): string | undefined {
  if (!told.includes(ROOT)) return undefined;
  if (told.startsWith("p")) return told.slice(1);
  try {
    const args: unknown = JSON.parse(told);
    const path: unknown = typeof args === "object" && args !== null ? Reflect.get(args, "path") : undefined;
    return typeof path === "string" ? path : undefined;
  } catch {
    // Not JSON. Rejected where all arguments are parsed.
    return undefined;
  }
}

function readOwn(node: OwnNode, subject: string, maxBytes: number): LocalAnswer {
  if (node.kind === "directory") return fail("IsADirectory", "EISDIR", `Is a directory (os error 21): ${subject}`);
  if (node.bytes.length > maxBytes) return fail("Error", "EFBIG", `File too large (os error 27): ${subject}`);
  return { answer: "vnull", bytes: node.bytes };
}

function fail(name: string, code: string, message: string): LocalAnswer {
  return { answer: `e${JSON.stringify({ name, message, code })}` };
}

/** Returns the `Deno.FileInfo` fields of an own file. Times are absent, because the hash does not cover them. */
function ownInfo(node: OwnNode): JsonValue {
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
