/** Creates or replaces a file atomically: the contents are written beside it first, so readers never see half of them. */

import { hostPlace } from "../../capabilities/checked.ts";
import { toHex } from "../../platform/bytes.ts";
import { FileError, type GuardedFiles, type Random, type WriteOptions } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";

/** Contents written beside their target. */
export interface Staged {
  /** Renames them to the target. */
  place(at: CheckedPath<"write">): Promise<void>;
  /** Removes them. */
  discard(): Promise<void>;
}

interface StageOptions {
  readonly files: GuardedFiles;
  readonly random: Pick<Random, "bytes">;
  /** If absent, the umask decides. */
  readonly mode?: number;
}

/** Proofs for staged contents: acts on them do not count as changes yet. */
const STAGED = new WeakSet<CheckedPath<"write">>();

/** Returns whether a proof was created by `stageFile`. */
export function isStaged(path: CheckedPath<"write">): boolean {
  return STAGED.has(path);
}

/** @param path absolute; the contents are written to the nearest existing folder above it */
export async function stageFile(path: string, data: Uint8Array, { files, random, mode }: StageOptions): Promise<Staged> {
  const staged = besideIn(await nearestFolder(path, files), random);
  const discard = async (): Promise<void> => {
    try {
      await files.remove(staged, { recursive: false });
    } catch (error) {
      // The file is gone, or as unreachable as the target that failed.
      if (!(error instanceof FileError)) throw error;
    }
  };
  try {
    await writeWhole(staged, data, { createNew: true, ...(mode !== undefined && { mode }) }, files);
  } catch (error) {
    await discard();
    throw error;
  }
  return { discard, place: (at) => files.rename(staged, at) };
}

/** Returns a temporary name beside a path. */
export function besideOf(path: string, random: StageOptions["random"]): CheckedPath<"write"> {
  return besideIn(above(path), random);
}

function besideIn(folder: string, random: StageOptions["random"]): CheckedPath<"write"> {
  const id = toHex(random.bytes(8));
  const beside = hostPlace<"write">(`${folder === "/" ? "" : folder}/.bascule-${id}.tmp`);
  STAGED.add(beside);
  return beside;
}

async function writeWhole(path: CheckedPath<"write">, data: Uint8Array, options: WriteOptions, files: GuardedFiles): Promise<void> {
  await files.writeBytes(path, data, options);
  const open = await files.openToWrite(path, OPEN_TO_SYNC);
  try {
    // Without the sync, a crash after the rename may leave an empty file under the final name.
    await open.sync(false);
  } finally {
    await open.close();
  }
}

const OPEN_TO_SYNC = { read: false, write: true, append: false, truncate: false, create: false, createNew: false };

async function nearestFolder(path: string, files: GuardedFiles): Promise<string> {
  for (let at = above(path); ; at = above(at)) {
    try {
      if ((await files.lstat(hostPlace(at))).kind === "directory") return at;
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== "not_found" || at === "/") throw error;
    }
  }
}

/** Returns the folder of a path. */
export function above(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
