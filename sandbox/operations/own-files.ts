/**
 * The plugin's own files, as `/$plugin/…`: readable without a grant, from the bytes that the digest covers (SPEC B9).
 *
 * The worker has them in memory that threads share, and answers by itself: the only copy is the guest's (SPEC LV2).
 */

import type { JsonValue } from "../../manifests/mod.ts";
import { type LocalAnswer, valueAnswer } from "./local-answer.ts";

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

/** The files in one piece of memory that threads share. */
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

/** What a guest asks about its own files. */
export interface OwnWish {
  readonly operation: string;
  /** The arguments as a guest tells them. */
  readonly told: string;
  /** Of one answer. */
  readonly maxBytes: number;
}

/** Answers what is about the plugin's own files, else undefined. The answer's bytes are the file's, no copy of them. */
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

/** In Deno's messages. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ["fs.readFile", "readfile"],
  ["fs.readDir", "readdir"],
  ["fs.stat", "stat"],
  ["fs.lstat", "lstat"],
  ["fs.realPath", "realpath"],
]);

/** Of other paths nothing is parsed. */
function pathOf(told: string): string | undefined {
  if (!told.includes(ROOT)) return undefined;
  if (told.startsWith("p")) return told.slice(1);
  try {
    const args: unknown = JSON.parse(told);
    const path: unknown = typeof args === "object" && args !== null ? Reflect.get(args, "path") : undefined;
    return typeof path === "string" ? path : undefined;
  } catch {
    // No JSON: refused where all arguments are read.
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

/** `Deno.FileInfo` fields of an own file. Times are absent: they are not part of the digest. */
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
