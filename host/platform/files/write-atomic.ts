/**
 * Writes each of the host's own files through a temporary file beside it that then replaces it. The temporary file's name identifies its
 * process, so that the next process that writes in the folder finds and removes a file left by a killed one.
 */

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "./file-errors.ts";
import { fateOf, fromIdentityTag, identityTag, ownIdentity } from "../processes/process-identity.ts";

/**
 * Replaces a file atomically: readers see the old or the new contents, never a part. Leaves nothing behind if it fails.
 *
 * @param isDurable whether the file must survive a crash of the machine; not needed for data that is checked by its hash and can be rebuilt
 */
export async function writeAtomic(path: string, data: string | Uint8Array, mode: number, isDurable: boolean = true): Promise<void> {
  const folder = dirname(path);
  await removeLeftovers(folder);
  const temporary = temporaryFor(path);
  try {
    await writeNew(temporary, data, mode, isDurable);
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/**
 * Creates a file with mode 0600. Returns false if the path exists. If several callers try, one succeeds, and readers see all of the text.
 */
export async function createWhole(path: string, text: string): Promise<boolean> {
  const temporary = temporaryFor(path);
  try {
    await writeFile(temporary, text, { flag: "wx", mode: OWNER_ONLY });
    await link(temporary, path);
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST") return false;
    if (!NO_LINKS.has(errnoOf(thrown) ?? "")) throw thrown;
    return await createPlain(path, text);
  } finally {
    await rm(temporary, { force: true });
  }
  await removeLeftovers(dirname(path));
  return true;
}

const OWNER_ONLY = 0o600;

/** Errors of file systems without hard links: vfat, some shares. */
export const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** Creates a file in place. A process that is killed in here leaves an empty file. */
async function createPlain(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: OWNER_ONLY });
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

async function writeNew(path: string, data: string | Uint8Array, mode: number, isDurable: boolean): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    await file.writeFile(data);
    // Without it a crash after the rename may leave an empty file under the final name.
    if (isDurable) await file.sync();
  } finally {
    await file.close();
  }
}

/** Returns a name beside `path` that identifies this process. */
export function temporaryFor(path: string): string {
  const name = basename(path).slice(0, LONGEST_NAME);
  return join(dirname(path), `.${name}.${identityTag(ownIdentity())}.${randomBytes(6).toString("hex")}.tmp`);
}

/** Maximum length of the kept name: with all additions it stays below the file systems' 255 bytes, even with four bytes per character. */
const LONGEST_NAME = 40;
const TEMPORARY = /^\..{1,40}\.(\d+-\d+-[0-9a-f]{12})\.[0-9a-f]{12}\.tmp$/u;

/** Number of names up to which a folder is scanned at each write: scanning 4,000 takes four milliseconds. */
const FEW_NAMES = 64;
/** Average number of names scanned per write in a large folder. */
const NAMES_A_WRITE = 16;
const MAX_LARGE = 256;
/** Number of writes until the next scan, by large folder; the least recently scanned comes first. */
const writesToGo = new Map<string, number>();

function isDue(folder: string): boolean {
  const left = writesToGo.get(folder) ?? 0;
  if (left > 0) writesToGo.set(folder, left - 1);
  return left === 0;
}

function noteLook(folder: string, names: number): void {
  writesToGo.delete(folder);
  if (names <= FEW_NAMES) return;
  writesToGo.set(folder, Math.ceil(names / NAMES_A_WRITE));
  const [oldest] = writesToGo.keys();
  if (writesToGo.size > MAX_LARGE && oldest !== undefined) writesToGo.delete(oldest);
}

/** Removes temporary files of processes that are certainly gone from a folder. */
async function removeLeftovers(folder: string): Promise<void> {
  if (!isDue(folder)) return;
  const names = await readdir(folder).catch(noneIfUnreadable);
  noteLook(folder, names.length);
  for (const name of names.filter(isLeftover)) {
    // A file that cannot be removed, in a folder of another user, does no harm.
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** Whether a name is that of a temporary file of a process that is certainly gone. */
export function isLeftover(name: string): boolean {
  const owner = fromIdentityTag(TEMPORARY.exec(name)?.[1] ?? "");
  return owner !== undefined && fateOf(owner) === "gone";
}

/** Ignored: the write that follows reports what is wrong with the folder. */
function noneIfUnreadable(): readonly string[] {
  return [];
}
