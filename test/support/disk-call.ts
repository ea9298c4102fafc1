/** A call on real files, with a granted workspace and a folder next to it that is not granted. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { MemoryEntry } from "../../host/platform/memory/memory.ts";
import type { Permissions } from "../../manifests/mod.ts";
import { type TestCall, testCall } from "./bridge-context.ts";
import { plantOnDisk } from "./plant.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface DiskCall extends TestCall {
  /** Granted folder. */
  readonly workspace: string;
  /** Folder that is not granted and contains `secret.txt`. */
  readonly outside: string;
  /** Reads a file without any check. */
  contents(path: string): Promise<string>;
}

const platform = currentPlatform();

/** @param files relative to the workspace; `$outside` in the target of a link is replaced */
export async function diskCall(
  files: Readonly<Record<string, MemoryEntry>>,
  permissions: Permissions = { read: ["$workspace"], write: ["$workspace"] },
): Promise<DiskCall> {
  const root = await temporaryFolder();
  const workspace = join(root, "workspace");
  const outside = join(root, "outside");
  await plantOnDisk(join(workspace, ".keep"), "");
  await plantOnDisk(join(outside, "secret.txt"), "secret");
  for (const [path, entry] of Object.entries(files)) {
    const isLink = typeof entry === "object" && "link" in entry;
    await plantOnDisk(join(workspace, path), isLink ? { link: entry.link.replace("$outside", outside) } : entry);
  }
  const call = testCall({ platform, cwd: workspace, permissions });
  return { ...call, workspace, outside, contents: (path) => readFile(path, "utf8") };
}
