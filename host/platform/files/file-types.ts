/** The host's own files: `files.ts` implements them, `memory-files.ts` in memory. Types and their error only. */

import type { CheckedPath } from "../proof.ts";

/** `other` is a FIFO, a socket or a device. */
export type FileKind = "file" | "directory" | "symlink" | "other";

/** Metadata of a file. Times are milliseconds since the epoch; `device` and `inode` identify the file itself. */
export interface FileInfo {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly accessedMs: number;
  readonly createdMs: number;
  readonly device: number;
  readonly inode: number;
  /** Number of names (hard links) of the file. */
  readonly links: number;
}

/** One name in a folder; links are not followed. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** A file operation failed. `code` is one of a closed set that callers may see; `message` holds no host path. */
export class FileError extends Error {
  readonly code: FileErrorCode;
  /** Path of an operation of the host itself. Only the user at the terminal may see it. */
  readonly path?: string;
  constructor(code: FileErrorCode, message: string, path?: string) {
    super(message);
    this.name = "FileError";
    this.code = code;
    if (path !== undefined) this.path = path;
  }
}

export const FILE_ERROR_CODES = [
  "not_found",
  "already_exists",
  "not_a_directory",
  "is_a_directory",
  "not_empty",
  "permission_denied",
  /** The grant does not cover the real path. */
  "not_capable",
  /** Neither regular file nor directory: device, FIFO, socket. */
  "not_regular",
  "symlink_loop",
  "name_too_long",
  "too_large",
  "no_space",
  "invalid_path",
  /** The operation is no longer wanted. */
  "interrupted",
  "busy",
  "other",
] as const;
export type FileErrorCode = (typeof FILE_ERROR_CODES)[number];

/** Bounds of `Files.readPlain`. */
export interface PlainReadLimits {
  /** A larger file is left out. */
  readonly fileBytes: number;
  /** Once that many bytes were read, the rest is left out. */
  readonly totalBytes: number;
}

/** The host's own file access. Paths are absolute. Failures throw `FileError`. */
export interface Files {
  /** Whether lookups run on the calling thread, because the process serves only its caller and may block. */
  readonly isBrief: boolean;
  readText(path: string): Promise<string>;
  readBytes(path: string, maxBytes?: number): Promise<Uint8Array>;
  /**
   * Writes a temporary file beside `path`, then renames it: readers see the old or the new text, never a part. Also removes temporary files
   * that killed processes left in the folder; in a folder of more than 64 names only now and then.
   */
  writeAtomic(path: string, data: string | Uint8Array, mode?: number): Promise<void>;
  /** Creates a file atomically with mode 0600. False if the path exists, even as a link; of several callers, one succeeds. */
  createNew(path: string, text: string): Promise<boolean>;
  makeDirectory(path: string): Promise<void>;
  /** Reads many files synchronously, for a service thread or a brief process: regular ones that no link leads to; undefined for the others. */
  readPlain(paths: readonly string[], limits: PlainReadLimits): readonly (Uint8Array | undefined)[];
  /** Removes recursively; a missing path is not an error. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Follows links; undefined if the path does not exist. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Does not follow links; undefined if the path does not exist. */
  lstat(path: string): Promise<FileInfo | undefined>;
  realPath(path: string): Promise<string>;
  /** Returns the links that are followed on the way to the path's target. Each is a real path except for its last part. */
  linksOn(path: string): Promise<readonly string[]>;
  /** Whether a proof permits this place in every spelling that its file system accepts (`spelling.ts`). */
  permitsPlace(checked: Pick<CheckedPath<"read" | "write">, "permits">, realPath: string): Promise<boolean>;
}
