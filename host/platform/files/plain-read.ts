/**
 * Reads many small files in one go, synchronously, for a thread that has nothing else to do: the asynchronous way of `guarded-files.ts` takes
 * six turns of the event loop for each file.
 *
 * Reads only what lies exactly where its path says: a regular file, reached through no link. The caller has checked those paths, so nothing
 * else has to be; everything else is left to the caller.
 */

import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, statfsSync } from "node:fs";
import { isKernelPath } from "./kernel-paths.ts";
import type { PlainReadLimits } from "./file-types.ts";
import { hasLinuxWalk, isSyntheticType, O_PATH } from "./linux-walk.ts";

/** @returns contents in the order of the paths; undefined for each file that was left out */
export function readPlain(paths: readonly string[], { fileBytes, totalBytes }: PlainReadLimits): readonly (Uint8Array | undefined)[] {
  if (!hasLinuxWalk()) return paths.map(() => undefined);
  const synthetic = new Map<number, boolean>();
  let total = 0;
  return paths.map((path) => {
    if (total >= totalBytes) return undefined;
    const bytes = readOne(path, fileBytes, synthetic);
    total += bytes?.length ?? 0;
    return bytes;
  });
}

function readOne(path: string, fileBytes: number, synthetic: Map<number, boolean>): Uint8Array | undefined {
  if (isKernelPath(path, "linux")) return undefined;
  let place: number | undefined;
  let file: number | undefined;
  try {
    place = openSync(path, O_PATH | constants.O_NOFOLLOW);
    const { size, dev, nlink, isFile } = factsOf(place);
    const reach = `/proc/self/fd/${place}`;
    if (!isFile || nlink === 0 || size > fileBytes || readlinkSync(reach) !== path) return undefined;
    const isSynthetic = synthetic.get(dev) ?? isSyntheticType(statfsSync(reach).type);
    synthetic.set(dev, isSynthetic);
    if (isSynthetic) return undefined;
    file = openSync(reach, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const bytes = new Uint8Array(size + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    // A file that grows or shrinks meanwhile is read in the other way.
    return length === size ? bytes.subarray(0, size) : undefined;
  } catch {
    // Whatever it was, the caller's own read says it.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
    if (place !== undefined) closeSync(place);
  }
}

function factsOf(place: number): { readonly size: number; readonly dev: number; readonly nlink: number; readonly isFile: boolean } {
  const info = fstatSync(place);
  return { size: info.size, dev: info.dev, nlink: info.nlink, isFile: info.isFile() };
}
