/**
 * Detects names that a file system treats as equal: vfat, exFAT, NTFS, SMB, casefold ext4 and f2fs, HFS+, APFS, ZFS and FUSE may ignore
 * case, Unicode forms and more. The kernel returns the requested spelling, so the real path of an open file does not show its true name
 * (SPEC C4).
 *
 * The type of a mount is not enough (ext4 folds by folder, a FUSE server as it likes), so folders are probed by looking up other spellings.
 * Nothing is written. A folder that cannot be probed counts as folding.
 */

import { lstat, opendir } from "node:fs/promises";
import { foldName } from "../../../manifests/mod.ts";
import { errnoOf, fileError, OTHER_SPELLING } from "./file-errors.ts";
import { FileError } from "../platform.ts";
import type { CheckedPath } from "../proof.ts";

/** Maximum number of names to read; a larger folder counts as folding. */
const MOST_NAMES = 20_000;
/** Number of other entries to probe if the name does not exist yet. */
const MOST_TRIED = 16;

/**
 * Whether the grant allows this place: exactly, and in every spelling that a folding file system would accept.
 *
 * Folders are probed only if a denial differs from the path in spelling alone.
 */
export async function permitsPlace({ permits }: Pick<CheckedPath<"read" | "write">, "permits">, realPath: string): Promise<boolean> {
  if (permits(realPath, "any")) return !hasShortName(realPath) || !(await namesByAlias(realPath));
  return permits(realPath) && !(await foldsNames(realPath));
}

/**
 * Checks a place like `permitsPlace`.
 *
 * @throws {FileError} `not_capable`, with `OTHER_SPELLING` if only the spelling is refused
 */
export async function permitOrRefuse(checked: Parameters<typeof permitsPlace>[0], realPath: string): Promise<void> {
  if (await permitsPlace(checked, realPath)) return;
  throw checked.permits(realPath) ? new FileError("not_capable", OTHER_SPELLING) : fileError("not_capable");
}

/**
 * Whether some folder on the way to `path` may fold names. False only if every folder was seen to distinguish the name from its other
 * spellings.
 */
async function foldsNames(path: string): Promise<boolean> {
  for (const { folder, name } of stepsOf(path)) {
    const answer = await foldsIn(folder, name);
    // A missing folder will behave like the folder in which it is created.
    if (answer === "no folder") return false;
    if (answer) return true;
  }
  return false;
}

async function foldsIn(folder: string, name: string): Promise<boolean | "no folder"> {
  const names = await namesIn(folder);
  if (names === "no folder" || names === "too many") return names === "too many" || names;
  const looksUpAnother = async (spelling: string): Promise<boolean> =>
    // If both spellings are listed, they are two files.
    names?.has(spelling) !== true && (await looksUp(folder, spelling));

  if (await looksUp(folder, name)) {
    // A name that can be opened but is not listed is listed by its true name. An unreadable folder lists nothing.
    return (names !== undefined && !names.has(name)) || (await some(otherSpellings(name), looksUpAnother));
  }
  const tried = [...(names ?? [])].filter((entry) => tellsAsMuch(entry, name)).slice(0, MOST_TRIED);
  return tried.length === 0 || (await some(tried.flatMap(otherSpellings), looksUpAnother));
}

async function some(spellings: readonly string[], test: (spelling: string) => Promise<boolean>): Promise<boolean> {
  for (const spelling of spellings) if (await test(spelling)) return true;
  return false;
}

/** Returns other spellings of a name: by case, by Unicode form, and with characters that vfat and SMB ignore. */
function otherSpellings(name: string): readonly string[] {
  const forms = ["NFC", "NFD", "NFKC"].map((form) => name.normalize(form));
  const others = new Set([name.toLowerCase(), name.toUpperCase(), foldName(name), ...forms, `${name}.`]);
  return [...others].filter((other) => other !== name && !/^\.*$|\//.test(other));
}

/** Whether an entry is a valid probe: an entry without composed letters proves nothing about a name that has some. */
function tellsAsMuch(entry: string, name: string): boolean {
  const hasForms = (text: string): boolean => text.normalize("NFC") !== text.normalize("NFD");
  const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();
  return hasCase(entry) && (isAscii(name) || hasForms(entry));
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** Short name that vfat, NTFS and SMB derive from a longer one: `SECRET~1.TXT`. */
const SHORT_NAME = /^[^.~]{1,7}~\d{1,6}(?:\.[^.]{0,3})?$/;

function hasShortName(path: string): boolean {
  return path.includes("~") && path.split("/").some((name) => SHORT_NAME.test(name));
}

/** Whether a name on the way is a short one that its folder does not list: the same file has another name, which may be denied. */
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
  // A drive is not an entry of any folder.
  const drive = /^[A-Za-z]:$/.test(names[0] ?? "") && !path.startsWith("/") ? `${names.shift()}` : "";
  return names.map((name, index) => ({ folder: `${drive}/${names.slice(0, index).join("/")}`, name }));
}

/** Returns the names in a folder; undefined if it may not be read. */
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

/** Whether a name can be looked up; true if that is unknown. */
async function looksUp(folder: string, name: string): Promise<boolean> {
  try {
    await lstat(`${folder}/${name}`);
    return true;
  } catch (thrown) {
    const errno = errnoOf(thrown);
    return errno !== "ENOENT" && errno !== "ENOTDIR" && errno !== "ENAMETOOLONG" && errno !== "EINVAL";
  }
}
