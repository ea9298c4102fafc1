/** A task of the service thread; the readers are loaded with the first archive. */

import type { ArchiveFile } from "./archive-entry.ts";

export async function unpackTask(bytes: Uint8Array): Promise<readonly ArchiveFile[]> {
  const { readArchive } = await import("./read-archive.ts");
  return readArchive(bytes);
}
