/**
 * How the host writes each file of its own: to a temporary file beside it that then takes its place. The temporary file's name says whose
 * it is, so that what a killed process left is found and removed by the next one that writes in the folder.
 */

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "./file-errors.ts";
import { fateOf, fromIdentityTag, identityTag, ownIdentity } from "../processes/process-identity.ts";

/**
 * Readers see the old or the new contents, never half. Leaves nothing behind if it fails.
 *
 * @param isDurable whether it also outlives a crash of the machine; not needed for what is checked by its hash and can be made again
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

/** False if there is something. Of several that try, one succeeds, and readers see all of the text. For its owner only. */
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

/** What file systems without hard links answer: vfat, some shares. */
export const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** A process that is killed in here leaves an empty file. */
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

/** A name beside `path` that says whose it is. */
export function temporaryFor(path: string): string {
  const name = basename(path).slice(0, LONGEST_NAME);
  return join(dirname(path), `.${name}.${identityTag(ownIdentity())}.${randomBytes(6).toString("hex")}.tmp`);
}

/** With all that is added it stays below the 255 bytes that file systems take, also where a character has four of them. */
const LONGEST_NAME = 40;
const TEMPORARY = /^\..{1,40}\.(\d+-\d+-[0-9a-f]{12})\.[0-9a-f]{12}\.tmp$/u;

/** A folder of more names is not looked through at each write: one of 4,000 takes four milliseconds. */
const FEW_NAMES = 64;
/** So a write pays for so many names at most, however many there are. */
const NAMES_A_WRITE = 16;
const MAX_LARGE = 256;
/** Of large folders, how many writes go by before the next look; the one that was looked through first is the first. */
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

/** Takes away what processes that are certainly gone left in a folder. */
async function removeLeftovers(folder: string): Promise<void> {
  if (!isDue(folder)) return;
  const names = await readdir(folder).catch(noneIfUnreadable);
  noteLook(folder, names.length);
  for (const name of names.filter(isLeftover)) {
    // One that cannot be removed, in a folder of another user's, does no harm.
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** Whether this is the name of a temporary file of a process that is certainly gone. */
export function isLeftover(name: string): boolean {
  const owner = fromIdentityTag(TEMPORARY.exec(name)?.[1] ?? "");
  return owner !== undefined && fateOf(owner) === "gone";
}

/** What is to be written says what is wrong with the folder. */
function noneIfUnreadable(): readonly string[] {
  return [];
}
