/** A plugin keeps as many files open as it can, in many calls; other plugins can still open theirs. */

import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_OPEN_FILES, OPEN_FILES } from "../../../host/platform/files/guarded-file.ts";
import type { GuardedFile, GuardedFiles } from "../../../host/platform/platform.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { hostPlace } from "../../../host/capabilities/checked.ts";
import type { Holder } from "../../../sandbox/mod.ts";
import { plantOnDisk } from "../../support/plant.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/**
 * Opens the file until it is refused.
 * @returns the number of successes
 */
async function hoard(guarded: GuardedFiles, path: string, holder: Holder): Promise<number> {
  const files: GuardedFile[] = [];
  onTestFinished(async () => void (await Promise.all(files.map((file) => file.close()))));
  for (;;) {
    const outcome = await guarded.openToRead(hostPlace(path), holder).catch((error: unknown) => String(error));
    if (typeof outcome === "string") {
      expect(outcome).toBe("FileError: Resource busy");
      return files.length;
    }
    files.push(outcome);
  }
}

describe("attack: open files that others need", () => {
  it("are limited by a share for each plugin, and one for calls without a plugin [LV3.open-files]", async () => {
    const { guarded } = currentPlatform();
    const path = join(await temporaryFolder(), "file");
    await plantOnDisk(path, "text");
    const opened: number[] = [];
    for (const owner of ["a", "b", "c", "d", "e", "f"]) opened.push(await hoard(guarded, path, { owner }));
    const share = OPEN_FILES.plugin;
    expect(opened).toEqual([share, share, MAX_OPEN_FILES - 2 * share, 1, 1, 1]);
  });

  it("are limited by a share for each token, which leaves other tokens some of every plugin's [LV3.open-files]", async () => {
    const { guarded } = currentPlatform();
    const path = join(await temporaryFolder(), "file");
    await plantOnDisk(path, "text");
    const opened: number[] = [];
    for (const owner of ["a", "b", "c", "d"]) opened.push(await hoard(guarded, path, { owner, caller: "evil" }));
    opened.push(await hoard(guarded, path, { owner: "a", caller: "other" }));
    const { plugin, caller, callerOfPlugin } = OPEN_FILES;
    expect(opened).toEqual([callerOfPlugin, caller - callerOfPlugin, 0, 0, plugin - callerOfPlugin]);
  });
});
