/** Service-thread task: reads, hashes and keeps the file at a path, so that no large file crosses to the host's thread (SPEC LV2, E8). */

import { hostPlace } from "../../capabilities/checked.ts";
import { FileError } from "../../platform/platform.ts";
import type { ServiceTask, TaskEnvironment } from "../../primitives/service/task.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import { fileIdOf, type UndoState } from "./undo-step.ts";

/** Paths are absolute. */
export interface Look {
  readonly path: string;
  /** Maximum size in bytes; a larger file is not read. */
  readonly room: number;
  /** Where its bytes are kept; absent if they are not. */
  readonly into?: string;
}

const MODE_BITS = 0o777;
const OWNER_ONLY = 0o600;

export const LOOK: ServiceTask<typeof lookTask> = { name: "undo.look", run: lookTask };

/** Rejects if what is there cannot be kept: then the call has no image of it. */
export async function lookTask(
  { path, room, into }: Look,
  { guarded, files }: Pick<TaskEnvironment, "guarded" | "files">,
): Promise<UndoState> {
  const { state, contents } = await look({ path, room, isKept: into !== undefined }, guarded);
  if (into !== undefined && contents !== undefined) await files.writeAtomic(into, contents, OWNER_ONLY);
  return state;
}

function tooLarge(size: number, room: number, isKept: boolean): string {
  return isKept ? `not enough room to keep its ${size} bytes` : `it holds ${size} bytes; at most ${room} are compared`;
}

async function look(
  { path, room, isKept }: Pick<Look, "path" | "room"> & { readonly isKept: boolean },
  guarded: TaskEnvironment["guarded"],
): Promise<{ readonly state: UndoState; readonly contents?: Uint8Array }> {
  try {
    const info = await guarded.lstat(hostPlace(path));
    const { kind, mode, size, modifiedMs } = info;
    const fileId = fileIdOf(info);
    if (kind === "directory") return { state: { kind, mode: mode & MODE_BITS, fileId } };
    if (kind === "symlink") return { state: { kind: "link", target: await guarded.readLink(hostPlace(path)), fileId } };
    if (kind !== "file") return { state: { kind: "unkept", reason: "it is not a regular file" } };
    if (size > room) return { state: { kind: "unkept", reason: tooLarge(size, room, isKept) } };
    const contents = await guarded.readBytes(hostPlace(path), { maxBytes: room });
    const sha256 = await sha256Hex(new Uint8Array(contents));
    return { state: { kind, bytes: contents.length, sha256, mode: mode & MODE_BITS, modifiedMs, fileId }, contents };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const isMissing = error.code === "not_found" || error.code === "not_a_directory";
    return { state: isMissing ? { kind: "missing" } : { kind: "unkept", reason: `it could not be read (${error.message})` } };
  }
}
