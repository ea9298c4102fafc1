/** A task of the service thread; loads the readers with the first archive. */

import type { ServiceTask } from "../../primitives/service/task.ts";
import type { ArchiveFile, ArchiveRequest } from "./archive-entry.ts";

export const UNPACK_ARCHIVE: ServiceTask<typeof unpackTask> = { name: "archive.read", run: unpackTask };

export async function unpackTask({ bytes, as }: ArchiveRequest): Promise<readonly ArchiveFile[]> {
  if (as === "bundle") return (await import("../bundles/bundle-files.ts")).readBundleEntries(bytes);
  return (await import("./read-archive.ts")).readArchive(bytes);
}
