/** Puts contents in place of a file, or where there is none: written beside it first, so that nobody ever sees half of it. */

import { hostPlace } from "../../capabilities/checked.ts";
import { FileError, type GuardedFiles, type Random, type WriteOptions } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";

/** Contents that lie beside their place. */
export interface Staged {
  /** Gives it the place's name. */
  place(at: CheckedPath<"write">): Promise<void>;
  /** Takes it away again. */
  discard(): Promise<void>;
}

export interface StageOptions {
  readonly files: GuardedFiles;
  readonly random: Pick<Random, "bytes">;
  /** What nobody says is left to the system, whose mask may say more. */
  readonly mode?: number;
}

/** Proofs for contents that lie beside their place: what is done to them is no change of anything yet. */
const STAGED = new WeakSet<CheckedPath<"write">>();

/** True for a proof of `stageFile`'s own. */
export function isStaged(path: CheckedPath<"write">): boolean {
  return STAGED.has(path);
}

/** @param path absolute; the contents lie in the nearest folder above it that is there. */
export async function stageFile(path: string, data: Uint8Array, { files, random, mode }: StageOptions): Promise<Staged> {
  const staged = besideIn(await nearestFolder(path, files), random);
  const discard = async (): Promise<void> => {
    try {
      await files.remove(staged, { recursive: false });
    } catch (error) {
      // Gone, or as unreachable as the place that failed.
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

/** A name beside a place, for what is to take the place. */
export function besideOf(path: string, random: StageOptions["random"]): CheckedPath<"write"> {
  return besideIn(above(path), random);
}

function besideIn(folder: string, random: StageOptions["random"]): CheckedPath<"write"> {
  const id = Array.from(random.bytes(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const beside = hostPlace<"write">(`${folder === "/" ? "" : folder}/.bascule-${id}.tmp`);
  STAGED.add(beside);
  return beside;
}

async function writeWhole(path: CheckedPath<"write">, data: Uint8Array, options: WriteOptions, files: GuardedFiles): Promise<void> {
  await files.writeBytes(path, data, options);
  const open = await files.openToWrite(path, OPEN_TO_SYNC);
  try {
    // Without it a crash after the rename may leave an empty file under the final name.
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

/** The folder that a path is in. */
export function above(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
