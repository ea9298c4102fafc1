/** Maps operating system errors to the closed set of `FileError` codes. */

import { FileError, type FileErrorCode } from "../platform.ts";

const CODES: ReadonlyMap<string, FileErrorCode> = new Map([
  ["ENOENT", "not_found"],
  ["EEXIST", "already_exists"],
  ["ENOTDIR", "not_a_directory"],
  ["EISDIR", "is_a_directory"],
  ["ENOTEMPTY", "not_empty"],
  ["EACCES", "permission_denied"],
  ["EPERM", "permission_denied"],
  ["EROFS", "permission_denied"],
  ["ELOOP", "symlink_loop"],
  ["ENAMETOOLONG", "name_too_long"],
  ["EFBIG", "too_large"],
  ["ENOSPC", "no_space"],
  ["EDQUOT", "no_space"],
  ["EINVAL", "invalid_path"],
  ["ERR_INVALID_ARG_VALUE", "invalid_path"],
  ["EBUSY", "busy"],
  ["ETXTBSY", "busy"],
  ["EAGAIN", "busy"],
  ["EMFILE", "busy"],
  ["ENFILE", "busy"],
  // A FIFO without a reader, a device without a driver, a socket.
  ["ENXIO", "not_regular"],
  ["ENODEV", "not_regular"],
]);

const MESSAGES: Readonly<Record<FileErrorCode, string>> = {
  not_found: "No such file or directory",
  already_exists: "File exists",
  not_a_directory: "Not a directory",
  is_a_directory: "Is a directory",
  not_empty: "Directory not empty",
  permission_denied: "Permission denied by the operating system",
  not_capable: "Outside of the grant",
  not_regular: "Neither a regular file nor a directory",
  symlink_loop: "Too many levels of symbolic links",
  name_too_long: "File name too long",
  too_large: "File too large",
  no_space: "No space left on device",
  invalid_path: "Invalid path",
  interrupted: "Interrupted because the call is over",
  busy: "Resource busy",
  other: "File operation failed",
};

/** Message of a `not_capable` for a path that is only denied under another spelling. */
export const OTHER_SPELLING = "The file system may treat this name as a denied one";

/** Message of a `not_capable` for removing, moving or replacing the granted folder itself. */
export const ROOT_OF_GRANT = "This is the granted folder itself";

/** Returns a `FileError` with the code's own message, which names no path. */
export function fileError(code: FileErrorCode): FileError {
  return new FileError(code, MESSAGES[code]);
}

/** Checks between two steps of a long operation. @throws {FileError} `interrupted` if the operation is no longer wanted */
export function unlessOver(isOver: (() => boolean) | undefined): void {
  if (isOver?.() === true) throw fileError("interrupted");
}

/** Converts anything that a file operation threw into a `FileError` without a host path in its message. */
export function toFileError(thrown: unknown, path?: string): FileError {
  const isOurs = thrown instanceof FileError;
  if (isOurs && path === undefined) return thrown;
  const code = isOurs ? thrown.code : (CODES.get(errnoOf(thrown) ?? "") ?? "other");
  return new FileError(code, isOurs ? thrown.message : MESSAGES[code], path);
}

/** Returns the `code` of a system error, such as `ENOENT`. */
export function errnoOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Runs a file operation and converts its errors into `FileError`. Pass `path` only if it is the host's own. */
export async function withFileErrors<T>(operation: () => Promise<T>, path?: string): Promise<T> {
  try {
    return await operation();
  } catch (thrown) {
    throw toFileError(thrown, path);
  }
}
