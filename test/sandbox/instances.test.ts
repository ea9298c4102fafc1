import { describe, expect, it } from "vitest";
import { unchanged } from "../../sandbox/image.ts";
import { differsFrom } from "../../sandbox/plain-copy.ts";
import { trackedRestore } from "../../sandbox/tracked-restore.ts";
import { Instances } from "../../sandbox/worker/instances.ts";
import { baseImage, loadInThread, meteredModule } from "../support/in-thread.ts";

describe("instances", () => {
  it("are kept for whoever comes next, but few, however many sizes of memory plugins ask for", async () => {
    const base = await baseImage(meteredModule);
    const image = unchanged(base);
    const instances = new Instances({ module: meteredModule, restorer: trackedRestore(base), fillRandom: () => {}, slots: 3 });
    const sizes = Array.from({ length: 6 }, (_, index) => (64 + index) << 20);
    for (const size of sizes) instances.giveBack(await instances.lease(image, size, "image"));
    expect(sizes.map((size) => instances.leaseIdle(image, size, "image") !== undefined)).toEqual([false, false, false, true, true, true]);
  });

  it("that were reseeded are put back whole, and come back for the next call [B1.memory]", async () => {
    const base = await baseImage(meteredModule);
    const image = unchanged(base);
    const { image: other } = await loadInThread("export function run() {}", trackedRestore, { module: meteredModule });
    const instances = new Instances({
      module: meteredModule,
      restorer: trackedRestore(base),
      fillRandom: (bytes) => void bytes.fill(0x5a),
      slots: 1,
    });
    const first = await instances.lease(image, 64 << 20, "fresh");
    expect(differsFrom(first.instance, image, base)).toBe(base.randomAddress);
    instances.giveBack(first);
    expect(differsFrom(first.instance, image, base)).toBeUndefined();
    const second = await instances.lease(other, 64 << 20, "image");
    expect(second.instance).toBe(first.instance);
    expect(differsFrom(second.instance, other, base)).toBeUndefined();
  });
});
