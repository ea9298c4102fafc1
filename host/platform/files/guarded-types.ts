/** Files on behalf of a guest: `guarded-files.ts` implements them, `memory-guarded.ts` in memory. Types only. */

import type { Holder } from "../../../sandbox/mod.ts";
import type { CheckedPath } from "../proof.ts";
import type { DirectoryEntry, FileInfo } from "./file-types.ts";

/** Options of opening a file for writing. */
export interface WriteOptions {
  /** Default true. */
  readonly create?: boolean;
  /** Fails if the file exists. */
  readonly createNew?: boolean;
  readonly append?: boolean;
  readonly mode?: number;
}

/** Options of opening a file that stays open. Without `write` and `append` it is read-only. */
export interface OpenOptions extends Holder {
  readonly read: boolean;
  readonly write: boolean;
  /** Every write goes to the end. */
  readonly append: boolean;
  readonly truncate: boolean;
  readonly create: boolean;
  /** Fails if the file exists. */
  readonly createNew: boolean;
  readonly mode?: number;
}

/** Awaited before memory for that many bytes is allocated. */
export type WaitForRoom = (bytes: number) => Promise<void>;

/** A file that was verified when it was opened and stays that same file. Positions are bytes from its start. Failures throw `FileError`. */
export interface GuardedFile {
  /** Returns fewer bytes than `length` if the file ends before; none at its end. The caller owns them. */
  read(position: number, length: number, makeRoom?: WaitForRoom): Promise<Uint8Array>;
  /** Writes all of the data. "end" is for files that were opened to append. */
  write(data: Uint8Array, position: number | "end"): Promise<void>;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileInfo>;
  /** Waits until written data is on the disk. */
  sync(dataOnly: boolean): Promise<void>;
  setTimes(accessedMs: number, modifiedMs: number): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Attributes of a file besides its contents (`mode`: permission bits only). An absent attribute stays unchanged. */
export interface FileFacts {
  readonly mode?: number;
  readonly modifiedMs?: number;
}

/** Cancellation of operations with many steps: polled between steps; true ends the operation with `interrupted`. */
export interface MayEnd {
  readonly isOver?: () => boolean;
}

/**
 * File access that cannot be raced out of its grant: the opened file is verified to be the checked one. Links that leave the grant give
 * `not_capable`; devices, FIFOs, sockets and `/proc` give `not_regular` (SPEC C4).
 */
export interface GuardedFiles {
  /** Reads a range. The caller owns the bytes. */
  readBytes(
    path: CheckedPath<"read">,
    options: { readonly maxBytes: number; readonly offset?: number; readonly length?: number; readonly makeRoom?: WaitForRoom },
  ): Promise<Uint8Array>;
  writeBytes(path: CheckedPath<"write">, data: Uint8Array, options: WriteOptions): Promise<void>;
  /** Lists a folder. `too_large` past either bound; names are counted in UTF-16 units. */
  list(
    path: CheckedPath<"read">,
    options: { readonly maxEntries: number; readonly maxNamesLength?: number } & MayEnd,
  ): Promise<readonly DirectoryEntry[]>;
  stat(path: CheckedPath<"read">): Promise<FileInfo>;
  lstat(path: CheckedPath<"read">): Promise<FileInfo>;
  realPath(path: CheckedPath<"read">): Promise<string>;
  /** Returns the target text of a link. */
  readLink(path: CheckedPath<"read">): Promise<string>;
  /** Creates a link with any target. No tool can request this; undo restores removed links with it. */
  makeLink(path: CheckedPath<"write">, target: string): Promise<void>;
  /** Adds a hard link to the file `from`, with which undo holds it; no link is followed. `other` if the file system has no hard links. */
  addName(from: CheckedPath<"read">, to: CheckedPath<"write">): Promise<void>;
  /** Sets permissions and times of this file or folder itself. No tool can request this; undo restores them with it. */
  setFacts(path: CheckedPath<"write">, facts: FileFacts): Promise<void>;
  makeDirectory(path: CheckedPath<"write">, options: { readonly recursive: boolean; readonly mode?: number }): Promise<void>;
  remove(path: CheckedPath<"write">, options: { readonly recursive: boolean } & MayEnd): Promise<void>;
  rename(from: CheckedPath<"write">, to: CheckedPath<"write">): Promise<void>;
  copy(from: CheckedPath<"read">, to: CheckedPath<"write">, options: { readonly maxBytes: number } & MayEnd): Promise<void>;
  truncate(path: CheckedPath<"write">, length: number): Promise<void>;
  /** Opens a file to read. The number of open files is limited over all calls; beyond it the error is `busy`. */
  openToRead(path: CheckedPath<"read">, options?: Holder): Promise<GuardedFile>;
  /** Opens a file to write. @param path must also be a proof for reading if `options.read` is set. */
  openToWrite(path: CheckedPath<"write">, options: OpenOptions): Promise<GuardedFile>;
}
