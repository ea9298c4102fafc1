/**
 * The walk on Linux uses descriptors throughout, so that a rename race changes nothing (FACTS, files: 0 leaks).
 *
 * A place is opened with `O_PATH`, which has no effect on what it opens. `/proc/self/fd/N` then gives its real path, and opening
 * `/proc/self/fd/N` again opens that same file, even if its old path leads elsewhere.
 */

import { constants, existsSync, readlinkSync } from "node:fs";
import { type FileHandle, lstat, open, statfs, unlink } from "node:fs/promises";
import { errnoOf, fileError } from "./file-errors.ts";
import type { Place, Walk } from "./walk.ts";

/** Missing in `node:fs`; the same value on every architecture that Node and Deno support (open(2)). */
export const O_PATH = 0o10000000;

/** File system types (statfs(2), linux/magic.h) whose files belong to the kernel instead of a disk. */
const SYNTHETIC_TYPES: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x1cd1, // devpts
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0xde5e81e4, // efivarfs
  0xcafe4a11, // bpf
  0x6165676c, // pstore
  0x6e736673, // nsfs
  0xf97cff8c, // selinuxfs
  0x42494e4d, // binfmt_misc
  0x19800202, // mqueue
]);

/** @param type of `statfs`; some are negative if the field is a signed 32-bit number */
export function isSyntheticType(type: number): boolean {
  return SYNTHETIC_TYPES.has(type >>> 0);
}

/** Maximum number of cached devices. A device number identifies a file system; when the cache is full, it is cleared. */
const MAX_KNOWN_DEVICES = 256;

/** Whether the walk can work: `/proc` must be mounted. */
export function hasLinuxWalk(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/fd");
}

export function createLinuxWalk(): Walk {
  const isSynthetic = createSyntheticCheck();

  return {
    async locate(path, { follow, within }) {
      const file = await open(path, follow ? O_PATH : O_PATH | constants.O_NOFOLLOW);
      try {
        const info = await file.stat();
        const reach = `/proc/self/fd/${file.fd}`;
        const told = await currentPath(reach, info).catch((thrown: unknown) => {
          if (within === undefined || errnoOf(thrown) !== "ENAMETOOLONG") throw thrown;
          return undefined;
        });
        const where =
          told === undefined && within !== undefined ? ({ realPath: within.realPath, isWithin: true } as const) : { realPath: told ?? "" };
        const synthetic = await isSynthetic(info.dev, reach, info.isSymbolicLink());
        return { ...where, info, reach, synthetic, [Symbol.asyncDispose]: () => file.close() };
      } catch (thrown) {
        await file.close();
        throw thrown;
      }
    },

    open: (place, flags) => open(place.reach, flags | constants.O_NONBLOCK | constants.O_NOCTTY),

    async create(parent, name, flags, mode) {
      const file = await open(`${parent.reach}/${name}`, flags | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);
      try {
        return { file, realPath: await currentPath(`/proc/self/fd/${file.fd}`, await file.stat()) };
      } catch (thrown) {
        await discard(file, parent, name);
        throw thrown;
      }
    },

    // A descriptor always refers to the same file.
    holds: async () => true,
  };
}

/** Asks the kernel for the current path of a descriptor. */
async function currentPath(reach: string, info: { readonly dev: number; readonly ino: number; readonly nlink: number }): Promise<string> {
  // Safe to do synchronously, because the kernel answers from its cache and not from a disk.
  const path = readlinkSync(reach);
  // Pipes, sockets and invisible mounts have no path.
  if (!path.startsWith("/")) throw fileError("not_regular");
  // The kernel marks a deleted file with a suffix, which a real name may also have.
  if (info.nlink === 0) throw fileError("not_found");
  if (path.endsWith(" (deleted)")) {
    const there = await lstat(path);
    if (there.dev !== info.dev || there.ino !== info.ino) throw fileError("not_found");
  }
  return path;
}

async function discard(file: FileHandle, parent: Place, name: string): Promise<void> {
  await file.close();
  await unlink(`${parent.reach}/${name}`);
}

function createSyntheticCheck(): (device: number, reach: string, isLink: boolean) => Promise<boolean> {
  const known = new Map<number, boolean>();
  return async (device, reach, isLink) => {
    const before = known.get(device);
    if (before !== undefined) return before;
    // `statfs` would follow the link; the link's target is checked when it is located.
    if (isLink) return false;
    const { type } = await statfs(reach);
    const synthetic = isSyntheticType(type);
    if (known.size >= MAX_KNOWN_DEVICES) known.clear();
    known.set(device, synthetic);
    return synthetic;
  };
}
