/** Folders in the system's place for temporary files, named after their process, so that a killed process leaves none for good. */

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fateOf, fromIdentityTag, identityTag, ownIdentity } from "../processes/process-identity.ts";

/**
 * Makes a folder of mode 0700, which the caller removes. Takes away what processes that are certainly gone left of that kind.
 *
 * @param kind small letters
 */
export async function makeScratchFolder(kind: string): Promise<string> {
  const prefix = `bascule-${kind}-`;
  for (const name of (await readdir(tmpdir())).filter((each) => isLeftover(each, prefix))) {
    // One of another user cannot be removed, and does this one no harm.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
  return await mkdtemp(join(tmpdir(), `${prefix}${identityTag(ownIdentity())}-`));
}

/** `bascule-git-1234-567890-0123456789ab-Xy3Z0a`. */
function isLeftover(name: string, prefix: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const owner = fromIdentityTag(/^(.+)-[0-9A-Za-z]{6}$/u.exec(name.slice(prefix.length))?.[1] ?? "");
  return owner !== undefined && fateOf(owner) === "gone";
}
