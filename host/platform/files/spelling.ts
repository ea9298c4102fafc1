/**
 * Names that a file system takes for another one: vfat, exFAT, NTFS, SMB, casefold ext4 and f2fs, HFS+, APFS, ZFS and FUSE may
 * ignore case, Unicode forms and more. The kernel answers with the spelling that was asked for, so that the real path of an open
 * file does not show its true name (SPEC C4).
 *
 * The type of a mount does not tell (ext4 folds by folder, a FUSE server does as it likes), so folders are asked, by looking
 * other spellings up. Nothing is written. What a folder does not show counts as folding.
 */

import { lstat, opendir } from "node:fs/promises";
import { foldName } from "../../../manifests/mod.ts";
import { errnoOf, fileError, OTHER_SPELLING } from "./file-errors.ts";
import { FileError } from "../platform.ts";
import type { CheckedPath } from "../proof.ts";

/** A folder with more names is not read to its end and counts as folding. */
const MOST_NAMES = 20_000;
/** Other entries of a folder that are tried for a name which is not there yet. */
const MOST_TRIED = 16;

/**
 * True if the grant allows this very place: exactly, and in whatever spelling a file system that folds would find it.
 *
 * Folders are asked only if a denial differs from the path in nothing but its spelling.
 */
export async function permitsPlace({ permits }: Pick<CheckedPath<"read" | "write">, "permits">, realPath: string): Promise<boolean> {
  if (permits(realPath, "any")) return !hasShortName(realPath) || !(await namesByAlias(realPath));
  return permits(realPath) && !(await foldsNames(realPath));
}

/**
 * As `permitsPlace`.
 *
 * @throws {FileError} `not_capable`, with `OTHER_SPELLING` where it is the spelling that is refused
 */
export async function permitOrRefuse(checked: Parameters<typeof permitsPlace>[0], realPath: string): Promise<void> {
  if (await permitsPlace(checked, realPath)) return;
  throw checked.permits(realPath) ? new FileError("not_capable", OTHER_SPELLING) : fileError("not_capable");
}

/** True unless every folder on the way to `path` is seen to tell the name there from its other spellings. */
async function foldsNames(path: string): Promise<boolean> {
  for (const { folder, name } of stepsOf(path)) {
    const answer = await foldsIn(folder, name);
    // A folder that is not there yet will do as the one does that it is made in.
    if (answer === "no folder") return false;
    if (answer) return true;
  }
  return false;
}

async function foldsIn(folder: string, name: string): Promise<boolean | "no folder"> {
  const names = await namesIn(folder);
  if (names === "no folder" || names === "too many") return names === "too many" || names;
  const looksUpAnother = async (spelling: string): Promise<boolean> =>
    // Of two spellings that are both listed each is a file of its own.
    names?.has(spelling) !== true && (await looksUp(folder, spelling));

  if (await looksUp(folder, name)) {
    // What can be opened and is not listed is listed by its true name. An unreadable folder lists nothing.
    return (names !== undefined && !names.has(name)) || (await some(otherSpellings(name), looksUpAnother));
  }
  const tried = [...(names ?? [])].filter((entry) => tellsAsMuch(entry, name)).slice(0, MOST_TRIED);
  return tried.length === 0 || (await some(tried.flatMap(otherSpellings), looksUpAnother));
}

async function some(spellings: readonly string[], test: (spelling: string) => Promise<boolean>): Promise<boolean> {
  for (const spelling of spellings) if (await test(spelling)) return true;
  return false;
}

/** Other ways to write a name, by case, by Unicode form, and with what vfat and SMB leave out. */
function otherSpellings(name: string): readonly string[] {
  const forms = ["NFC", "NFD", "NFKC"].map((form) => name.normalize(form));
  const others = new Set([name.toLowerCase(), name.toUpperCase(), foldName(name), ...forms, `${name}.`]);
  return [...others].filter((other) => other !== name && !/^\.*$|\//.test(other));
}

/** An entry in letters that have no forms says nothing about a name that has some. */
function tellsAsMuch(entry: string, name: string): boolean {
  const hasForms = (text: string): boolean => text.normalize("NFC") !== text.normalize("NFD");
  const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();
  return hasCase(entry) && (isAscii(name) || hasForms(entry));
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** A name as vfat, NTFS and SMB make them of longer ones: `SECRET~1.TXT`. */
const SHORT_NAME = /^[^.~]{1,7}~\d{1,6}(?:\.[^.]{0,3})?$/;

function hasShortName(path: string): boolean {
  return path.includes("~") && path.split("/").some((name) => SHORT_NAME.test(name));
}

/** True if some name on the way is a short one that its folder does not list: the same file has another, which may be denied. */
async function namesByAlias(path: string): Promise<boolean> {
  for (const { folder, name } of stepsOf(path)) {
    if (!SHORT_NAME.test(name) || !(await looksUp(folder, name))) continue;
    const names = await namesIn(folder);
    if (names === "too many" || (names instanceof Set && !names.has(name))) return true;
  }
  return false;
}

function stepsOf(path: string): readonly { readonly folder: string; readonly name: string }[] {
  const names = path.split("/").filter((name) => name !== "");
  // A drive is no entry of anything.
  const drive = /^[A-Za-z]:$/.test(names[0] ?? "") && !path.startsWith("/") ? `${names.shift()}` : "";
  return names.map((name, index) => ({ folder: `${drive}/${names.slice(0, index).join("/")}`, name }));
}

/** Undefined if it may not be read. */
async function namesIn(folder: string): Promise<ReadonlySet<string> | "no folder" | "too many" | undefined> {
  const names = new Set<string>();
  try {
    for await (const { name } of await opendir(folder)) {
      if (names.size === MOST_NAMES) return "too many";
      names.add(name);
    }
    return names;
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === "ENOENT" || errno === "ENOTDIR") return "no folder";
    if (errno === "EACCES" || errno === "EPERM") return undefined;
    throw thrown;
  }
}

/** True also where it cannot be told. */
async function looksUp(folder: string, name: string): Promise<boolean> {
  try {
    await lstat(`${folder}/${name}`);
    return true;
  } catch (thrown) {
    const errno = errnoOf(thrown);
    return errno !== "ENOENT" && errno !== "ENOTDIR" && errno !== "ENAMETOOLONG" && errno !== "EINVAL";
  }
}
