/** Connecting to the running host's own socket (SPEC I2). */

import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Duplex } from "node:stream";
import { errnoOf, toFileError } from "../files/file-errors.ts";
import { connectToPath } from "./path-sockets.ts";
import { FileError } from "../platform.ts";

/** Size of `sun_path` without its final NUL; 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 103;
const O_PATH = 0o10000000;

/** Whether a path is the name of a pipe instead of a socket in the file system. */
export const HAS_PIPES: boolean = process.platform === "win32";

/** Connects to the socket at a path: "dead" if no process listens on it. @throws {FileError} if it belongs to another user */
export async function connectTo(path: string): Promise<Duplex | "dead" | "missing"> {
  try {
    await refuseForeign(path);
    return await withShortPath(path, tryConnect);
  } catch (thrown) {
    if (toFileError(thrown).code === "not_found") return "missing";
    throw toFileError(thrown);
  }
}

/** Refuses a socket of another user. Its listener would receive arguments and send confirmations to this user in place of the host. */
async function refuseForeign(path: string): Promise<void> {
  const found = await lstat(path);
  // Compares the socket's owner instead of its folder's, which in containers is often another user.
  if (found.isSymbolicLink() || found.uid !== process.geteuid?.())
    throw new FileError(
      "permission_denied",
      `Refused "${path}": it is a link or belongs to another user (delete it if you run no host there)`,
    );
}

export async function tryConnect(path: string): Promise<Duplex | "dead" | "missing"> {
  try {
    return await connectToPath(path);
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === "ECONNREFUSED" || errno === "ENOTSOCK") return "dead";
    if (errno === "ENOENT" || errno === "ENOTDIR") return "missing";
    throw toFileError(thrown);
  }
}

/**
 * Shortens a path: a socket's address holds about a hundred bytes, so on Linux a longer path is reached through its folder's descriptor.
 */
export async function withShortPath<T>(path: string, use: (short: string) => Promise<T>): Promise<T> {
  if (new TextEncoder().encode(path).length <= MAX_SOCKET_PATH_BYTES) return await use(path);
  if (process.platform !== "linux") throw new FileError("name_too_long", "The socket's path is longer than 103 bytes");
  const folder: FileHandle = await open(dirname(path), O_PATH | constants.O_DIRECTORY);
  try {
    return await use(`/proc/self/fd/${folder.fd}/${basename(path)}`);
  } finally {
    await folder.close();
  }
}

/** Returns the pipe's name. Pipes have one flat namespace, so the path's hash distinguishes projects. */
export async function pipeName(path: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  return `\\\\.\\pipe\\bascule-${createHash("sha256").update(path.toLowerCase()).digest("hex").slice(0, 32)}`;
}
