/** Path of the socket that a project's host listens on. */

import { toHex } from "../../platform/bytes.ts";
import { type LineConnection, type Platform, FileError } from "../../platform/platform.ts";

/** Maximum bytes of a socket path. The system's limit, including the NUL, is 108 on Linux and 104 on macOS. */
const MAX_PATH_BYTES = 100;
const MAX_RECORD_BYTES = 4_096;
const OWNER_ONLY = 0o600;
const RANDOM_BYTES = 16;
const OWN_PLACE = /\/bascule-[0-9a-f]{32}\/host\.sock$/;

/** A listening socket. */
interface SocketClaim {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Listens on `.bascule/host.sock`.
 *
 * If that path is too long, the socket is in a new folder with a random name in the temporary folder, and
 * `.bascule/host.json` holds its path. Another user cannot have created a folder of that name, and only the owner can
 * read the file.
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
    throw new FileError("already_exists", "A host is already serving this project");
  }
  const folder = `${platform.environment.tmp}/bascule-${toHex(platform.random.bytes(RANDOM_BYTES))}`;
  const path = `${folder}/host.sock`;
  await platform.files.makeDirectory(folder);
  const listener = await platform.sockets.listen(path, onConnection);
  await platform.files.writeAtomic(recordPath(stateDirectory), `${JSON.stringify({ socket: path })}\n`, OWNER_ONLY);
  return {
    path,
    async release(): Promise<void> {
      await listener.close();
      // If two hosts started at the same time, the file holds the path of the later one.
      if ((await recordedPath(platform, stateDirectory)) === path) await platform.files.remove(recordPath(stateDirectory));
      await platform.files.remove(folder);
    },
  };
}

/** Connects to the project's host. Returns undefined if no host is running. */
export async function connectToSocket(
  platform: Pick<Platform, "files" | "sockets">,
  stateDirectory: string,
): Promise<LineConnection | undefined> {
  const usual = usualPath(stateDirectory);
  const path = fits(usual) ? usual : await recordedPath(platform, stateDirectory);
  return path === undefined ? undefined : platform.sockets.connect(path);
}

async function recordedPath(platform: Pick<Platform, "files">, stateDirectory: string): Promise<string | undefined> {
  let record: unknown;
  try {
    record = JSON.parse(new TextDecoder().decode(await platform.files.readBytes(recordPath(stateDirectory), MAX_RECORD_BYTES)));
  } catch {
    // The file is missing or invalid: no host can be found.
    return undefined;
  }
  if (typeof record !== "object" || record === null || !("socket" in record)) return undefined;
  // Hosts write only paths of this form, so never connect to another one.
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
