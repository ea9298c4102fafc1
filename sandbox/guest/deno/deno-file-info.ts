/** Creates `Deno.FileInfo` and `Deno.DirEntry` from the host's answers. */

import { define, PrimordialDate } from "../language/primordials.ts";

interface DirEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

/** Members in Deno's order. Times are milliseconds in the answer and dates in the result. */
const MEMBERS = [
  "isFile",
  "isDirectory",
  "isSymlink",
  "size",
  "mtime",
  "atime",
  "birthtime",
  "ctime",
  "dev",
  "ino",
  "mode",
  "nlink",
  "uid",
];
const MORE_MEMBERS = ["gid", "rdev", "blksize", "blocks", "isBlockDevice", "isCharDevice", "isFifo", "isSocket"];
const TIMES = 4;

/** @param value answer of `fs.stat`; absent members become null, as in Deno */
export function toFileInfo(value: unknown): object {
  const answer = value as Readonly<Record<string, unknown>>;
  const info = {};
  for (let index = 0; index < MEMBERS.length; index++) {
    const name = MEMBERS[index] ?? "";
    const isTime = index >= TIMES && index < 2 * TIMES;
    const member = answer[isTime ? `${name}Ms` : name];
    define(info, name, isTime && typeof member === "number" ? new PrimordialDate(member) : (member ?? null), true);
  }
  for (let index = 0; index < MORE_MEMBERS.length; index++) {
    const name = MORE_MEMBERS[index] ?? "";
    define(info, name, answer[name] ?? null, true);
  }
  return info;
}

/** @param value answer of `fs.readDir`: a list of entries */
export function toDirEntries(value: unknown): DirEntry[] {
  return value as DirEntry[];
}
