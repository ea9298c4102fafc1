/** Where a project's host listens, and how others find it. */

import { type LineConnection, type Platform, FileError } from "../../platform/platform.ts";

/** A Unix socket's path has 108 bytes on Linux and 104 on macOS, with a NUL at the end. */
const MAX_PATH_BYTES = 100;
const MAX_RECORD_BYTES = 4_096;
const OWNER_ONLY = 0o600;
const RANDOM_BYTES = 16;
const OWN_PLACE = /\/bascule-[0-9a-f]{32}\/host\.sock$/;

/** A socket that listens. */
export interface SocketClaim {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Listens on `.bascule/host.sock`.
 *
 * Where that path would be too long, the socket is in a new folder with a random name below the temporary folder and
 * `.bascule/host.json` says where: nobody else can have made a folder of that name, and the record is the owner's.
 *
 * @throws {FileError} `already_exists` if a live host listens for this project.
 */
export async function claimSocket(
  platform: Platform,
  stateDirectory: string,
  onConnection: (connection: LineConnection) => void,
): Promise<SocketClaim> {
  await platform.files.makeDirectory(stateDirectory);
  const usual = usualPath(stateDirectory);
  if (fits(usual)) {
    const listener = await platform.sockets.listen(usual, onConnection);
    return { path: usual, release: () => listener.close() };
  }
  const taken = await connectToSocket(platform, stateDirectory);
  if (taken) {
    taken.close();
    throw new FileError("already_exists", "A host serves this project already");
  }
  const folder = `${platform.environment.tmp}/bascule-${hex(platform.random.bytes(RANDOM_BYTES))}`;
  const path = `${folder}/host.sock`;
  await platform.files.makeDirectory(folder);
  const listener = await platform.sockets.listen(path, onConnection);
  await platform.files.writeAtomic(recordPath(stateDirectory), `${JSON.stringify({ socket: path })}\n`, OWNER_ONLY);
  return {
    path,
    async release(): Promise<void> {
      await listener.close();
      // Of two hosts that started at once the later one is on record.
      if ((await recordedPath(platform, stateDirectory)) === path) await platform.files.remove(recordPath(stateDirectory));
      await platform.files.remove(folder);
    },
  };
}

/** Connects to the project's host; undefined if none runs. */
export async function connectToSocket(platform: Platform, stateDirectory: string): Promise<LineConnection | undefined> {
  const usual = usualPath(stateDirectory);
  const path = fits(usual) ? usual : await recordedPath(platform, stateDirectory);
  return path === undefined ? undefined : platform.sockets.connect(path);
}

async function recordedPath(platform: Platform, stateDirectory: string): Promise<string | undefined> {
  let record: unknown;
  try {
    record = JSON.parse(new TextDecoder().decode(await platform.files.readBytes(recordPath(stateDirectory), MAX_RECORD_BYTES)));
  } catch {
    // Absent, or not a record: either way there is no host to be found.
    return undefined;
  }
  if (typeof record !== "object" || record === null || !("socket" in record)) return undefined;
  // Nothing else is written there, so nothing else is connected to.
  return typeof record.socket === "string" && OWN_PLACE.test(record.socket) ? record.socket : undefined;
}

function usualPath(stateDirectory: string): string {
  return `${stateDirectory}/host.sock`;
}

function recordPath(stateDirectory: string): string {
  return `${stateDirectory}/host.json`;
}

function fits(path: string): boolean {
  return new TextEncoder().encode(path).length <= MAX_PATH_BYTES;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
