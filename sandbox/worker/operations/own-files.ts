/**
 * The plugin's own files, as `/$plugin/…`. Readable without a grant, because the plugin's hash covers their bytes (SPEC B9).
 *
 * The worker has them in shared memory and answers itself, so the guest's copy is the only one (SPEC LV2).
 */

import type { JsonValue } from "../../../manifests/mod.ts";
import { findOwn, type OwnNode, ownPath, ROOT } from "../../wire/plugin-files.ts";
import { type LocalAnswer, valueAnswer } from "./local-answer.ts";

/** A guest's operation on its own files. */
interface OwnFileRequest {
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
export function answerOwn({ operation, told, maxBytes }: OwnFileRequest, files: ReadonlyMap<string, Uint8Array>): LocalAnswer | undefined {
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
