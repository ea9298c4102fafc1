/** A task of the service thread; the readers are loaded with the first archive. */

import type { ArchiveFile, ArchiveWish } from "./archive-entry.ts";

export async function unpackTask({ bytes, as }: ArchiveWish): Promise<readonly ArchiveFile[]> {
  if (as === "bundle") return (await import("../bundles/bundle-files.ts")).readBundleEntries(bytes);
  return (await import("./read-archive.ts")).readArchive(bytes);
}
