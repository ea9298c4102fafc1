/** The key of a project's host in its clusters: a file in the user's configuration folder, where no tool may read (SPEC CL6). */

import type { Identity } from "../platform/bus/identity-types.ts";
import type { Platform } from "../platform/platform.ts";

const MAX_BYTES = 1_024;

/** Creates the key at the first use. @throws {TypeError} if the file holds something else @throws {FileError} */
export async function openOwnKey(platform: Pick<Platform, "files" | "identities">, file: string): Promise<Identity> {
  const { files } = platform;
  const identities = await platform.identities();
  if ((await files.stat(file)) === undefined) {
    await files.makeDirectory(file.slice(0, file.lastIndexOf("/")));
    // If two hosts start at once, one of them creates it.
    await files.createNew(file, `${identities.create().seed}\n`);
  }
  const text = new TextDecoder().decode(await files.readBytes(file, MAX_BYTES));
  try {
    return identities.open(text.trim());
  } catch {
    throw new TypeError(
      `"${file}" does not hold a key of a cluster (remove it to get a new one, and list its public key where the old one was)`,
    );
  }
}
