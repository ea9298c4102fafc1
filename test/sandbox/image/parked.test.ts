import { beforeAll, describe, expect, it, vi } from "vitest";
import { type Image, unchanged } from "../../../sandbox/engine/image.ts";
import { Instance } from "../../../sandbox/engine/instance.ts";
import { PAGE_BYTES } from "../../../sandbox/engine/marks.ts";
import { markedRuns, toRuns } from "../../../sandbox/image/page-runs.ts";
import { park, unpark } from "../../../sandbox/image/parked.ts";
import { differsFrom } from "../../../sandbox/image/compare.ts";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import type { Restorer } from "../../../sandbox/image/restorer.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { baseImage, engineModule, type InThreadPlugin, loadInThread, meteredModule } from "../../support/in-thread.ts";

const WAITS = `
const kept = { before: "the load" };
export async function waits({ megabytes = 0, deep = 0 } = {}) {
  globalThis.own = "only this call's";
  Object.prototype.planted = 1;
  const down = (n) => (n === 0 ? 0 : 1 + down(n - 1));
  const heap = new Uint8Array(megabytes << 20).fill(7);
  const left = [down(deep), new Map([[1, "one"]]), /x/g, heap.length];
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  return [kept, left];
}
export function grabs() { const held = []; for (;;) held.push(new Uint8Array(1 << 20).fill(1)); }
`;
const OTHER = `const held = "another plugin".repeat(1_000); export function run() { globalThis.found = held; return [...held].length; }`;

// Comparing all of memory is slow on a loaded machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.each([
  ["marked pages", trackedRestore, meteredModule],
  ["plain copy", plainCopy, engineModule],
] as const)("a guest parked by %s", (_name, makeRestorer, module) => {
  let plugin: InThreadPlugin;
  let other: Image;
  let restorer: Restorer;
  beforeAll(async () => {
    plugin = await loadInThread(WAITS, makeRestorer, { module });
    other = (await loadInThread(OTHER, makeRestorer, { module })).image;
    restorer = makeRestorer(await baseImage(module));
  });

  /** Parks the plugin's guest, lets another plugin use the instance, and restores the guest into `target`. */
  function moved(target: Instance = plugin.instance): { before: Uint8Array; after: Uint8Array } {
    const { instance, image } = plugin;
    const before = instance.bytes.slice();
    const { registers } = instance;
    const guest = park(instance, restorer);
    plugin.restore(other);
    expect(plugin.differs(other)).toBeUndefined();
    plugin.call("run");
    unpark(target, image, guest, restorer);
    expect(target.registers).toEqual(registers);
    return { before, after: target.bytes.slice() };
  }

  function expectSame({ before, after }: { before: Uint8Array; after: Uint8Array }): void {
    expect(after.length).toBeGreaterThanOrEqual(before.length);
    expect(Buffer.compare(before, after.subarray(0, before.length))).toBe(0);
    expect(after.subarray(before.length).every((byte) => byte === 0)).toBe(true);
  }

  it("is identical byte for byte after another plugin used its instance [B2.parked]", () => {
    for (const args of [{}, { deep: 500 }, { megabytes: 3 }]) {
      plugin.restore();
      expect(plugin.call("waits", args)).toMatch(/^w/);
      expect(plugin.differs()).toBeDefined();
      expectSame(moved());
      // Nothing of the guest remains for the next call.
      plugin.restore();
      expect(plugin.differs()).toBeUndefined();
    }
  });

  it("resumes in another instance that never grew [B2.parked]", async () => {
    plugin.restore();
    plugin.call("waits", { megabytes: 24 });
    const base = await baseImage(module);
    const fresh = await Instance.start(module, base.facts, 1_024);
    expect(fresh.bytes.length).toBeLessThan(plugin.instance.bytes.length);
    expectSame(moved(fresh));
    restorer.restore(fresh, plugin.image);
    expect(differsFrom(fresh, plugin.image, base)).toBeUndefined();
  });

  it("keeps bytes that a store wrote across the end of its page, at any address [B2.parked]", async () => {
    const clean = unchanged(await baseImage(module));
    const { instance, image } = plugin;
    const pages = instance.bytes.length / PAGE_BYTES;
    for (const page of [0, 20, Math.floor(image.heapEnd / PAGE_BYTES), pages - 2]) {
      plugin.restore(clean);
      plugin.restore();
      instance.bytes.fill(0xa5, (page + 1) * PAGE_BYTES - 1, (page + 1) * PAGE_BYTES + 7);
      instance.wrote((page + 1) * PAGE_BYTES - 1, 1);
      instance.bytes[instance.bytes.length - 1] = 0xa5;
      instance.wrote(instance.bytes.length - 1, 1);
      expectSame(moved());
      plugin.restore(clean);
      expect(plugin.differs(clean)).toBeUndefined();
    }
  });

  it("keeps state outside of memory: its used fuel, and that its memory was exhausted [B2.parked]", () => {
    plugin.restore();
    plugin.call("grabs");
    const { instance } = plugin;
    const { registers } = instance;
    expect(registers).toMatchObject({ stackPointer: instance.facts.stackTop, memoryExhausted: true });
    const { fuelSpent } = instance;
    expect(fuelSpent > 0).toBe(module === meteredModule);
    const guest = park(instance, restorer);
    plugin.restore();
    expect(instance).toMatchObject({ memoryExhausted: false, fuelSpent: 0 });
    unpark(instance, plugin.image, guest, restorer);
    expect(instance.registers).toEqual(registers);
    expect(instance.fuelSpent).toBe(fuelSpent);
  });

  it("is detected as different if it is not restored [B2.parked]", () => {
    plugin.restore();
    plugin.call("waits");
    const before = plugin.instance.bytes.slice();
    park(plugin.instance, restorer);
    plugin.restore();
    expect(Buffer.compare(before, plugin.instance.bytes)).not.toBe(0);
  });
});

describe("runs of pages", () => {
  it("cover the marked pages, also across group borders and up to the end", () => {
    const marked = [0, 7, 8, 9, 16, 31, 32, 33, 62, 63];
    const marks = new Uint8Array(128);
    for (const page of [...marked, 64, 100]) marks[page] = 1;
    expect(markedRuns(marks, 64)).toEqual(toRuns(marked));
    expect(toRuns(marked)).toEqual([
      [0, 1],
      [7, 10],
      [16, 17],
      [31, 34],
      [62, 64],
    ]);
    const end = new Uint8Array(64).fill(1, 40, 48);
    expect(markedRuns(end, 64)).toEqual([[40, 48]]);
    expect(markedRuns(new Uint8Array(64), 64)).toEqual([]);
    expect(markedRuns(new Uint8Array(64).fill(1), 64)).toEqual([[0, 64]]);
  });
});
