import { describe, expect, it } from "vitest";
import { collectGarbage } from "../../../host/platform/threads/collection.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { unchanged } from "../../../sandbox/engine/image.ts";
import { createDroppedMemory } from "../../../sandbox/worker/dropped-memory.ts";
import { Instances } from "../../../sandbox/worker/instances.ts";
import { baseImage, meteredModule } from "../../support/in-thread.ts";

const MIB = 1024 * 1024;

describe("createDroppedMemory()", () => {
  it("requests a collection after each 64 MiB of dropped instances, in a separate turn [LV1.dropped-memory]", async () => {
    const asked: string[] = [];
    const turns: (() => void)[] = [];
    const base = await baseImage(meteredModule);
    const instances = new Instances({
      ...{ module: meteredModule, restorer: trackedRestore(base), fillRandom: () => {}, slots: 3 },
      onDropped: createDroppedMemory({ collect: () => asked.push("collect"), soon: (task) => turns.push(task) }),
    });
    const callThatGrows = async (): Promise<readonly number[]> => {
      const lease = await instances.lease(unchanged(base), 64 * MIB, "image");
      lease.instance.ensureBytes(48 * MIB);
      instances.giveBack(lease);
      const before = asked.length;
      for (const turn of turns.splice(0)) turn();
      return [before, asked.length];
    };
    const seen: (readonly number[])[] = [];
    for (let call = 0; call < 4; call++) seen.push(await callThatGrows());
    instances.giveBack(await instances.lease(unchanged(base), 64 * MIB, "image"));
    expect([seen, turns.length]).toEqual([
      [
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 2],
      ],
      0,
    ]);
  });

  it("requests no collection from a runtime without `collect` [LV1.dropped-memory]", () => {
    const turns: (() => void)[] = [];
    createDroppedMemory({ soon: (task) => turns.push(task) })(512 * MIB);
    expect(turns).toEqual([]);
  });
});

// Deno has a collector, and Node does not need it.
describe.skipIf(!("Deno" in globalThis))("collectGarbage()", () => {
  it("collects unreachable memory, and exposes no collector to other contexts [LV1.dropped-memory]", () => {
    let dropped: WeakRef<object> | undefined;
    (() => void (dropped = new WeakRef({})))();
    return new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
      collectGarbage?.();
      expect([dropped?.deref(), Reflect.get(globalThis, "gc")]).toEqual([undefined, undefined]);
    });
  });
});
