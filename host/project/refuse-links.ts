/** Folders of the host's own state, where a checkout may have come with links in their place. */

import { FileError, type Files } from "../platform/platform.ts";

/**
 * What a link leads to is somebody else's, or open to tools: nothing of the host's is put there, believed or deleted.
 *
 * @param places absolute, the outermost first
 * @param consequence what does not happen therefore: `no version is kept there`
 * @throws {FileError} if one is a link
 */
export async function refuseLinks(files: Pick<Files, "lstat">, places: readonly string[], consequence: string): Promise<void> {
  for (const place of places)
    if ((await files.lstat(place))?.kind === "symlink")
      throw new FileError("not_regular", `"${place}" is a link, so ${consequence} (delete the link)`);
}
