import { describe, expect, it } from "vitest";
import { differsFrom } from "../../sandbox/image.ts";
import { trackedRestore } from "../../sandbox/tracked-restore.ts";
import { createInstances } from "../../sandbox/worker/instances.ts";
import { baseImage, loadInThread, meteredModule } from "../support/in-thread.ts";

describe("instances", () => {
  it("that were reseeded are put back whole, and come back for the next call [B1.memory]", async () => {
    const image = await baseImage(meteredModule);
    const { image: other } = await loadInThread("export function run() {}", trackedRestore, { module: meteredModule });
    const instances = createInstances({
      module: meteredModule,
      restorer: trackedRestore,
      fillRandom: (bytes) => void bytes.fill(0x5a),
      keep: 1,
    });
    const first = await instances.lease(image, 64 << 20, "fresh");
    expect(differsFrom(first.instance, image)).toBe(image.randomAddress);
    instances.giveBack(first);
    expect(differsFrom(first.instance, image)).toBeUndefined();
    const second = await instances.lease(other, 64 << 20, "image");
    expect(second.instance).toBe(first.instance);
    expect(differsFrom(second.instance, other)).toBeUndefined();
  });
});
