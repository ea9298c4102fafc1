/** A plugin root on disk with hostile folders and one honest plugin, which must stay callable. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { MemoryEntry } from "../../../host/platform/memory/memory.ts";
import type { PluginStatus } from "../../../host/plugins/folder/status.ts";
import { type Bench, diskPlatform, openBench, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { plantOnDisk } from "../../support/plant.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export interface HostileRoot extends Bench {
  /** Parent folder of the root, `plugins`. */
  readonly home: string;
  readonly root: string;
  /** Scans, checks that the honest plugin is loaded, and returns the status of a folder. */
  statusOf(folder: string): Promise<PluginStatus | undefined>;
}

/** @param entries by path in the root; paths such as `../secret` lie outside */
export async function hostileRoot(entries: Readonly<Record<string, MemoryEntry>>): Promise<HostileRoot> {
  const home = await temporaryFolder();
  const root = join(home, "plugins");
  await mkdir(root);
  for (const [path, entry] of Object.entries({ ...pluginFiles("honest"), ...entries })) await plantOnDisk(join(root, path), entry);
  const bench = openBench({ platform: diskPlatform(), roots: [root] });
  return {
    ...bench,
    home,
    root,
    async statusOf(folder) {
      const statuses = await bench.directory.scan();
      expect(bench.callable("honest_run")).toMatchObject({ name: "honest" });
      return statuses.find((status) => status.folder === folder);
    },
  };
}

/** Returns why a folder is not loaded: the messages of its problems, or the reason why it is ignored. */
export async function refusalOf(entries: Readonly<Record<string, MemoryEntry>>, folder = "evil"): Promise<readonly string[]> {
  const { statusOf, sandbox } = await hostileRoot(entries);
  const status = await statusOf(folder);
  expect(sandbox.loads).toEqual(["honest"]);
  if (status?.state === "ignored") return [`ignored: ${status.reason}`];
  return status?.problems.filter(({ severity }) => severity === "error").map(({ message }) => message) ?? [];
}
