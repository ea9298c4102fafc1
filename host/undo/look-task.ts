/** A task of the service thread: what is at a place, read, hashed and kept there, so that no large file crosses to the host's (SPEC LV2, E8). */

import { hostPlace } from "../capabilities/checked.ts";
import { FileError } from "../platform/platform.ts";
import type { ServiceWorld } from "../service/task.ts";
import { sha256Hex } from "../sources/directory/digest.ts";
import type { UndoState } from "./undo-step.ts";

/** Paths are absolute. */
export interface Look {
  readonly path: string;
  /** Larger files are not read. */
  readonly room: number;
  /** Where its bytes are kept; absent if they are not. */
  readonly into?: string;
}

const MODE_BITS = 0o777;
const OWNER_ONLY = 0o600;

/** Rejects if what is there cannot be kept: then the call has no image of it. */
export async function lookTask(
  { path, room, into }: Look,
  { guarded, files }: Pick<ServiceWorld, "guarded" | "files">,
): Promise<UndoState> {
  const { state, contents } = await look(path, room, guarded);
  if (into !== undefined && contents !== undefined) await files.writeAtomic(into, contents, OWNER_ONLY);
  return state;
}

async function look(
  path: string,
  room: number,
  guarded: ServiceWorld["guarded"],
): Promise<{ readonly state: UndoState; readonly contents?: Uint8Array }> {
  try {
    const { kind, mode, size } = await guarded.lstat(hostPlace(path));
    if (kind === "directory") return { state: { kind, mode: mode & MODE_BITS } };
    if (kind === "symlink") return { state: { kind: "link", target: await guarded.readLink(hostPlace(path)) } };
    if (kind !== "file") return { state: { kind: "unkept", reason: "it is no regular file" } };
    if (size > room) return { state: { kind: "unkept", reason: `there was no room to keep its ${size} bytes` } };
    const contents = await guarded.readBytes(hostPlace(path), { maxBytes: room });
    const sha256 = await sha256Hex(new Uint8Array(contents));
    return { state: { kind, bytes: contents.length, sha256, mode: mode & MODE_BITS }, contents };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const isMissing = error.code === "not_found" || error.code === "not_a_directory";
    return { state: isMissing ? { kind: "missing" } : { kind: "unkept", reason: `it could not be read (${error.message})` } };
  }
}
