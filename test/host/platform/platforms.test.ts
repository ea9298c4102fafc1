import { describePlatform } from "../../conformance/platform.ts";
import { createGuardedFiles } from "../../../host/platform/guarded-files.ts";
import { createLinuxWalk, hasLinuxWalk } from "../../../host/platform/linux-walk.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createPortableWalk } from "../../../host/platform/portable-walk.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { plantOnDisk } from "../../support/plant.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const platform = currentPlatform();

describePlatform("memory", async () => {
  const memory = memoryPlatform();
  return { platform: memory, root: "/workspace", plant: async (path, entry) => memory.plant(path, entry) };
});

describePlatform(platform.name, async () => ({ platform, root: await temporaryFolder(), plant: plantOnDisk }));

// The way of other systems works here too, so that it is tested at all.
if (hasLinuxWalk()) {
  const portable = { ...platform, guarded: createGuardedFiles(createPortableWalk(), platform.environment.os) };
  describePlatform(`${platform.name} without /proc`, async () => ({
    platform: portable,
    root: await temporaryFolder(),
    plant: plantOnDisk,
  }));
  const linux = { ...platform, guarded: createGuardedFiles(createLinuxWalk(), platform.environment.os) };
  describePlatform(`${platform.name} with /proc`, async () => ({ platform: linux, root: await temporaryFolder(), plant: plantOnDisk }));
}
