/** Folders of the host's own state that a checkout may have replaced by links. */

import { FileError, type Files } from "../platform/platform.ts";

/**
 * Refuses links, because their target may belong to others or be open to tools: the host must not write, trust or delete anything there.
 *
 * @param places absolute paths, outermost first
 * @param consequence what the host does not do because of it: `no version is kept there`
 * @throws {FileError} if a place is a link
 */
export async function refuseLinks(files: Pick<Files, "lstat">, places: readonly string[], consequence: string): Promise<void> {
  for (const place of places)
    if ((await files.lstat(place))?.kind === "symlink")
      throw new FileError("not_regular", `"${place}" is a link, so ${consequence} (delete the link)`);
}
