/** Files that stay open for a guest or a tool, held by descriptor and bounded in number. */

import type { FileHandle } from "node:fs/promises";
import { claimOf, type Holder, type HolderShares, Shares } from "../../../sandbox/mod.ts";
import { fileError, withFileErrors } from "./file-errors.ts";
import { toFileInfo } from "./file-info.ts";
import type { GuardedFile } from "../platform.ts";

/** Maximum over all calls; a process has about a thousand descriptors for everything. */
export const MAX_OPEN_FILES = 256;
/** A caller that opens its whole share leaves some files to the plugin's other callers. */
export const OPEN_FILES: HolderShares = Object.freeze({ plugin: 96, caller: 128, callerOfPlugin: 64 });
/** Guaranteed share of a plugin that has no file open, even if the others use theirs up. */
const LEAST_OF_AN_OWNER = 1;

/**
 * Creates the limit. @returns a function that opens a file and counts it until it is closed. @throws {FileError} `busy` if too many are
 * open.
 */
export function createOpenLimit(): (open: () => Promise<FileHandle>, holder?: Holder) => Promise<GuardedFile> {
  const open = new Shares(MAX_OPEN_FILES, LEAST_OF_AN_OWNER);
  return (begin, holder = {}) =>
    withFileErrors(async () => {
      const close = open.takeNow(claimOf(holder, undefined, OPEN_FILES));
      if (close === undefined) throw fileError("busy");
      try {
        return openFile(await begin(), close);
      } catch (error) {
        close();
        throw error;
      }
    });
}

function openFile(file: FileHandle, closed: () => void): GuardedFile {
  let isOpen = true;
  return {
    read: (position, length, makeRoom) =>
      withFileErrors(async () => {
        const { size } = await file.stat();
        // Allocates no more memory than there is to read.
        const most = Math.max(0, Math.min(length, size - position));
        await makeRoom?.(most);
        const bytes = new Uint8Array(most);
        let filled = 0;
        while (filled < bytes.length) {
          const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, position + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return bytes.subarray(0, filled);
      }),
    write: (data, position) =>
      withFileErrors(async () => {
        let written = 0;
        while (written < data.length) {
          const at = position === "end" ? null : position + written;
          written += (await file.write(data, written, data.length - written, at)).bytesWritten;
        }
      }),
    truncate: (length) => withFileErrors(() => file.truncate(length)),
    stat: () => withFileErrors(async () => toFileInfo(await file.stat())),
    sync: (dataOnly) => withFileErrors(() => (dataOnly ? file.datasync() : file.sync())),
    setTimes: (accessedMs, modifiedMs) => withFileErrors(() => file.utimes(accessedMs / 1000, modifiedMs / 1000)),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        await withFileErrors(() => file.close());
      } finally {
        closed();
      }
    },
  };
}
