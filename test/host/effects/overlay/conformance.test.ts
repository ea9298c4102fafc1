/** Overlay files are guarded files and pass their conformance suite. */

import { currentPlatform } from "../../../../host/platform/mod.ts";
import { createOverlay } from "../../../../host/effects/overlay/overlay.ts";
import { describeGuardedFiles } from "../../../conformance/platform.ts";
import { plantOnDisk } from "../../../support/plant.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const platform = currentPlatform();

describeGuardedFiles("an overlay [E8.overlay]", async () => ({
  platform: createOverlay({ platform, sends: "asking" }).platform,
  root: await temporaryFolder(),
  plant: plantOnDisk,
  serve: () => Promise.reject(new Error("Nothing is served here")),
}));
