import { describe, expect, it } from "vitest";
import { differsFrom, type Image, plainCopy } from "../../sandbox/image.ts";
import type { Instance } from "../../sandbox/instance.ts";
import { MARKED_PAGE_BYTES } from "../../sandbox/marks.ts";
import { trackedRestore } from "../../sandbox/tracked-restore.ts";
import { baseImage, type InThreadPlugin, loadInThread, meteredModule } from "../support/in-thread.ts";

function load(source: string): Promise<InThreadPlugin> {
  return loadInThread(source, trackedRestore, { module: meteredModule });
}

function markedPages(instance: Instance): number {
  const pages = instance.bytes.length / MARKED_PAGE_BYTES;
  return instance.marks?.subarray(0, pages).reduce((sum, mark) => sum + mark, 0) ?? Number.NaN;
}

/** Writes as a guest would that controls its own memory: the barrier marks where a store begins. */
function store(instance: Instance, address: number, length = 1): void {
  instance.bytes.fill(0xa5, address, address + length);
  instance.wrote(address, 1);
}

function expectRestored({ instance }: InThreadPlugin, image: Image, previous: Image): void {
  trackedRestore.restore(instance, image, previous);
  expect(differsFrom(instance, image)).toBeUndefined();
  expect(markedPages(instance)).toBe(0);
}

describe("trackedRestore", () => {
  it("copies what a call touched, not what the plugin holds [B2.cost]", async () => {
    const large = await load(
      `const kept = Array.from({ length: 100_000 }, (_, i) => ({ i })); export function run() { return kept.length; }`,
    );
    large.call("run");
    trackedRestore.restore(large.instance, large.image, large.image);
    large.call("run");
    expect(large.image.bytes.byteLength).toBeGreaterThan(6 << 20);
    expect(markedPages(large.instance)).toBeLessThan(200);
    expectRestored(large, large.image, large.image);
  });

  it("restores a store that reaches over the end of its page [B1.memory]", async () => {
    const plugin = await load("export function run() {}");
    const { instance, image } = plugin;
    for (const page of [0, 20, 3_000, Math.floor(image.heapEnd / MARKED_PAGE_BYTES) - 1, Math.floor(image.heapEnd / MARKED_PAGE_BYTES)]) {
      store(instance, (page + 1) * MARKED_PAGE_BYTES - 1, 8);
      expectRestored(plugin, image, image);
    }
  });

  it("restores at every border of the memory's layout [B1.memory]", async () => {
    const plugin = await load("export function run() {}");
    const { instance, image } = plugin;
    const { dataEnd, stackTop } = image.facts;
    for (const border of [dataEnd, stackTop, image.heapEnd]) {
      for (const address of [border - 4, border, border + 4]) {
        store(instance, address, 4);
        expectRestored(plugin, image, image);
      }
    }
    store(instance, 0);
    store(instance, instance.bytes.length - 1);
    expectRestored(plugin, image, image);
  });

  it("puts another image in place, larger or smaller, whatever was written [B1.switch]", async () => {
    const first = await load("const kept = new Uint8Array(5 << 20).fill(7); export function run() { return kept.length; }");
    const second = await load("export function run() { return 2; }");
    first.call("run");
    store(first.instance, first.instance.facts.dataEnd + 64);
    store(first.instance, first.instance.bytes.length - 4096);
    first.instance.words[first.instance.facts.breakAddress >> 2] = 0xffff_fff0;
    first.instance.wrote(first.instance.facts.breakAddress, 4);
    expectRestored(first, second.image, first.image);
    expectRestored(first, first.image, second.image);
    second.call("run");
    expectRestored(second, first.image, second.image);
    expectRestored(second, await baseImage(meteredModule), first.image);
  });

  it("restores an instance that nothing is known of [B1.switch]", async () => {
    const plugin = await load("export function run() {}");
    plugin.instance.bytes.fill(0xa5);
    trackedRestore.restore(plugin.instance, plugin.image, undefined);
    expect(differsFrom(plugin.instance, plugin.image)).toBeUndefined();
  });

  it("restores memory that grew in the call [B2]", async () => {
    const plugin = await load(`export function run() { return new Uint8Array(24 << 20).fill(1).length; }`);
    const before = plugin.instance.bytes.length;
    plugin.call("run");
    expect(plugin.instance.bytes.length).toBeGreaterThan(before);
    expectRestored(plugin, plugin.image, plugin.image);
  });

  it("knows what the host writes: arguments, bytes, answers, dates in local time [B1.memory]", async () => {
    const plugin = await load(`
export function dates() { const d = new Date(2020, 5, 17); return [d.getHours(), d.toString(), d.getTimezoneOffset()]; }
export function bytes() { return [...crypto.getRandomValues(new Uint8Array(4096))].length; }
export function texts(args) { return new TextDecoder().decode(new TextEncoder().encode(args.text)).length; }
`);
    const { instance, image } = plugin;
    for (const [name, args] of [
      ["dates", {}],
      ["bytes", {}],
      ["texts", { text: "x".repeat(100_000) }],
    ] as const) {
      plugin.call(name, args);
      expectRestored(plugin, image, image);
    }
    instance.values.newBytes(new Uint8Array(50_000).fill(9));
    expectRestored(plugin, image, image);
    // Copied in as UTF-8 first, into a buffer of three times the room that nothing else writes to.
    instance.values.newString("x".repeat(20_000));
    expectRestored(plugin, image, image);
  });

  it("leaves what plain copy leaves, after any program [B1.memory]", async () => {
    const source = `
const seen = new Map();
export function run({ seed }) {
  let x = seed;
  const next = (n) => (x = (x * 1103515245 + 12345) & 0x7fffffff) % n;
  for (let i = 0; i < 200; i++) {
    switch (next(6)) {
      case 0: seen.set("k" + next(50), new Array(next(300)).fill(i)); break;
      case 1: seen.delete("k" + next(50)); break;
      case 2: globalThis["g" + next(20)] = "y".repeat(next(3000)); break;
      case 3: Object.prototype["p" + next(9)] = i; break;
      case 4: seen.set(next(9), new Uint8Array(next(40000)).fill(next(255))); break;
      default: JSON.stringify([...seen.keys()]);
    }
  }
  return seen.size;
}`;
    const tracked = await load(source);
    const plain = await loadInThread(source, plainCopy, { module: meteredModule });
    for (let seed = 1; seed <= 25; seed++) {
      expect(tracked.call("run", { seed })).toBe(plain.call("run", { seed }));
      trackedRestore.restore(tracked.instance, tracked.image, tracked.image);
      plainCopy.restore(plain.instance, plain.image, plain.image);
      expect(differsFrom(tracked.instance, tracked.image)).toBeUndefined();
      expect(differsFrom(plain.instance, plain.image)).toBeUndefined();
    }
  });
});
