/** Listening on the running host's own socket (SPEC I2). */

import { randomBytes } from "node:crypto";
import { chmod, link, lstat, mkdir, rm, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { errnoOf, toFileError } from "../files/file-errors.ts";
import { createLineConnection } from "./line-connection.ts";
import { listenOnPath } from "./path-sockets.ts";
import { FileError, type LineConnection, type LocalSockets } from "../platform.ts";
import { connectTo, HAS_PIPES, pipeName, withShortPath } from "./socket-connect.ts";

const MAX_CONNECTIONS = 64;

/** Hosts that start at the same moment wait for each other for two seconds at most. */
const MAX_CLAIM_ATTEMPTS = 200;
const CLAIM_PAUSE_MS = 10;
const MAX_LOCK_AGE_MS = 10_000;

/** Listens as `LocalSockets` says. */
export const listen: LocalSockets["listen"] = (path, onConnection) =>
  HAS_PIPES ? listenOnPipe(path, onConnection) : listenOnSocket(path, onConnection);

type OnConnection = (connection: LineConnection) => void;

interface Listening {
  close(): Promise<void>;
}

/**
 * Binds inside a new folder that only this user can enter, restricts the socket's mode there, and then moves it to `path`. So another user
 * can never connect, and if two hosts start at once, exactly one gets the path.
 */
async function listenOnSocket(path: string, onConnection: OnConnection): Promise<Listening> {
  if ((await probe(path)) === "alive") throw alreadyListening();
  const folder = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  let server: Listening | undefined;
  try {
    await mkdir(folder, { mode: 0o700 });
    const own = join(folder, "s");
    server = await withShortPath(own, (short) => listenForLines(short, onConnection));
    await chmod(own, 0o600);
    await claim(own, path);
  } catch (thrown) {
    await server?.close();
    throw thrown instanceof FileError ? thrown : toFileError(thrown);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { ino } = await lstat(path);
  return {
    async close() {
      // Removes the socket first: a socket that exists and refuses is dead, and other hosts may remove it.
      await removeOwn(path, ino);
      await server.close();
    },
  };
}

/**
 * Links the socket to its path, which fails if the name is taken and so decides between two hosts. A dead socket is removed under a lock,
 * so that no host removes the new socket of another.
 */
async function claim(own: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_CLAIM_ATTEMPTS; attempt += 1) {
    try {
      return await link(own, path);
    } catch (thrown) {
      if (errnoOf(thrown) !== "EEXIST") throw thrown;
    }
    const found = await probe(path);
    if (found === "alive") throw alreadyListening();
    if (found === "dead") await removeDead(path);
  }
  throw new FileError("busy", "Other hosts are starting on this socket");
}

async function removeDead(path: string): Promise<void> {
  const lock = `${path}.lock`;
  try {
    await mkdir(lock, { mode: 0o700 });
  } catch (thrown) {
    if (errnoOf(thrown) !== "EEXIST") throw thrown;
    await removeOldLock(lock);
    return await new Promise((resolve) => setTimeout(resolve, CLAIM_PAUSE_MS));
  }
  try {
    if (!(await lstat(path)).isSocket()) throw new FileError("already_exists", "The file at the socket's path is not a socket");
    // The socket's owner is gone, and only the holder of the lock removes it, so it is still the same socket.
    if ((await probe(path)) === "dead") await unlink(path);
  } catch (thrown) {
    // The owner has just removed the socket itself.
    if (errnoOf(thrown) !== "ENOENT") throw thrown;
  } finally {
    await rmdir(lock);
  }
}

/** Removes an old lock. A lock is held for a moment, so an old one belongs to a host that was killed in that moment. */
async function removeOldLock(lock: string): Promise<void> {
  try {
    if (Date.now() - (await lstat(lock)).mtimeMs > MAX_LOCK_AGE_MS) await rmdir(lock);
  } catch (thrown) {
    if (errnoOf(thrown) !== "ENOENT") throw thrown;
  }
}

async function listenOnPipe(path: string, onConnection: OnConnection): Promise<Listening> {
  try {
    return await listenForLines(await pipeName(path), onConnection);
  } catch (thrown) {
    if (errnoOf(thrown) === "EADDRINUSE") throw alreadyListening();
    throw toFileError(thrown);
  }
}

function alreadyListening(): FileError {
  return new FileError("already_exists", "Another host already listens on this socket");
}

/** Closing it ends the open connections too. A connection beyond the maximum is closed at once. */
async function listenForLines(path: string, onConnection: OnConnection): Promise<Listening> {
  const open = new Set<Duplex>();
  const server = await listenOnPath(path, (socket) => {
    if (open.size === MAX_CONNECTIONS) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    onConnection(createLineConnection(socket));
  });
  return {
    close() {
      for (const socket of open) socket.destroy();
      return server.close();
    },
  };
}

async function removeOwn(path: string, inode: number): Promise<void> {
  try {
    if ((await lstat(path)).ino === inode) await unlink(path);
  } catch (thrown) {
    // The socket or its folder is already gone.
    if (toFileError(thrown).code !== "not_found") throw toFileError(thrown);
  }
}

type Probe = "alive" | "dead" | "missing";

async function probe(path: string): Promise<Probe> {
  const socket = await connectTo(path);
  if (typeof socket === "string") return socket;
  socket.destroy();
  return "alive";
}
