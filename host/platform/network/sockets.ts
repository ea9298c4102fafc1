/** The running host's own socket: one listener per path, for the same user only (SPEC I2). */

import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, link, lstat, mkdir, open, rm, rmdir, unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import { errnoOf, toFileError } from "../files/file-errors.ts";
import { createLineConnection } from "./line-connection.ts";
import { FileError, type LineConnection, type LocalSockets } from "../platform.ts";

const MAX_CONNECTIONS = 64;

/** Size of `sun_path` without its final NUL; 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 103;
const O_PATH = 0o10000000;

/** Hosts that start at the same moment wait for each other for two seconds at most. */
const MAX_CLAIM_ATTEMPTS = 200;
const CLAIM_PAUSE_MS = 10;
const MAX_LOCK_AGE_MS = 10_000;

export function createSockets(): LocalSockets {
  const pipes = process.platform === "win32";
  return {
    listen: (path, onConnection) => (pipes ? listenOnPipe(path, onConnection) : listenOnSocket(path, onConnection)),
    async connect(path) {
      const socket = await (pipes ? tryConnect(pipeName(path)) : connectTo(path));
      return typeof socket === "string" ? undefined : createLineConnection(socket);
    },
  };
}

type OnConnection = (connection: LineConnection) => void;

/**
 * Binds inside a new folder that only this user can enter, restricts the socket's mode there, and then moves it to `path`. So another user
 * can never connect, and if two hosts start at once, exactly one gets the path.
 */
async function listenOnSocket(path: string, onConnection: OnConnection): Promise<{ close(): Promise<void> }> {
  if ((await probe(path)) === "alive") throw alreadyListening();
  const folder = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  const server = createLineServer(onConnection);
  try {
    await mkdir(folder, { mode: 0o700 });
    const own = join(folder, "s");
    await withShortPath(own, (short) => bind(server, short));
    await chmod(own, 0o600);
    await claim(own, path);
  } catch (thrown) {
    await closeServer(server);
    throw thrown instanceof FileError ? thrown : toFileError(thrown);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { ino } = await lstat(path);
  return {
    async close() {
      // Removes the socket first: a socket that exists and refuses is dead, and other hosts may remove it.
      await removeOwn(path, ino);
      await closeServer(server);
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

async function listenOnPipe(path: string, onConnection: OnConnection): Promise<{ close(): Promise<void> }> {
  const server = createLineServer(onConnection);
  try {
    await bind(server, pipeName(path));
  } catch (thrown) {
    if (errnoOf(thrown) === "EADDRINUSE") throw alreadyListening();
    throw toFileError(thrown);
  }
  return { close: () => closeServer(server) };
}

function alreadyListening(): FileError {
  return new FileError("already_exists", "Another host already listens on this socket");
}

const openSockets = new WeakMap<Server, Set<Socket>>();

function createLineServer(onConnection: OnConnection): Server {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    onConnection(createLineConnection(socket));
  });
  server.maxConnections = MAX_CONNECTIONS;
  openSockets.set(server, sockets);
  return server;
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      // After binding, errors concern single connections (out of descriptors): those clients see a closed connection.
      server.on("error", () => {});
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  for (const socket of openSockets.get(server) ?? []) socket.destroy();
  return new Promise((resolve) => void server.close(() => resolve()));
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

async function connectTo(path: string): Promise<Socket | "dead" | "missing"> {
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

function tryConnect(path: string): Promise<Socket | "dead" | "missing"> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.off("error", refused);
      resolve(socket);
    });
    socket.once("error", refused);

    function refused(error: Error): void {
      const errno = errnoOf(error);
      if (errno === "ECONNREFUSED" || errno === "ENOTSOCK") resolve("dead");
      else if (errno === "ENOENT" || errno === "ENOTDIR") resolve("missing");
      else reject(toFileError(error));
    }
  });
}

/**
 * Shortens a path: a socket's address holds about a hundred bytes, so on Linux a longer path is reached through its folder's descriptor.
 */
async function withShortPath<T>(path: string, use: (short: string) => Promise<T>): Promise<T> {
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
function pipeName(path: string): string {
  return `\\\\.\\pipe\\bascule-${createHash("sha256").update(path.toLowerCase()).digest("hex").slice(0, 32)}`;
}
