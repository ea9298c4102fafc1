/** Temporary folders in the system's folder, named after their process, so that a folder of a killed process is removed later. */

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fateOf, fromIdentityTag, identityTag, ownIdentity } from "../processes/process-identity.ts";

/**
 * Creates a folder of mode 0700, which the caller removes. Also removes such folders of processes that are certainly gone.
 *
 * @param kind lower-case letters
 */
export async function makeScratchFolder(kind: string): Promise<string> {
  const prefix = `bascule-${kind}-`;
  for (const name of (await readdir(tmpdir())).filter((each) => isLeftover(each, prefix))) {
    // A folder of another user cannot be removed, and does no harm.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
  return await mkdtemp(join(tmpdir(), `${prefix}${identityTag(ownIdentity())}-`));
}

/** Matches names such as `bascule-git-1234-567890-0123456789ab-Xy3Z0a`. */
function isLeftover(name: string, prefix: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const owner = fromIdentityTag(/^(.+)-[0-9A-Za-z]{6}$/u.exec(name.slice(prefix.length))?.[1] ?? "");
  return owner !== undefined && fateOf(owner) === "gone";
}
