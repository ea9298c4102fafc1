import { describe, expect, it } from "vitest";
import { type Image, unchanged } from "../../../sandbox/engine/image.ts";
import { differsFrom } from "../../../sandbox/image/compare.ts";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import { Instance } from "../../../sandbox/engine/instance.ts";
import { PAGE_BYTES } from "../../../sandbox/engine/marks.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { baseImage, type InThreadPlugin, loadInThread, meteredModule } from "../../support/in-thread.ts";

function load(source: string): Promise<InThreadPlugin> {
  return loadInThread(source, trackedRestore, { module: meteredModule });
}

function markedPages(instance: Instance): number {
  const pages = instance.bytes.length / PAGE_BYTES;
  return instance.shadow?.marks.subarray(0, pages).reduce((sum, mark) => sum + mark, 0) ?? Number.NaN;
}

/** Writes as a guest in control of its memory could: the barrier marks the page where a store begins. */
function store(instance: Instance, address: number, length = 1): void {
  instance.bytes.fill(0xa5, address, address + length);
  instance.wrote(address, 1);
}

function expectRestored(plugin: InThreadPlugin, image: Image = plugin.image): void {
  plugin.restore(image);
  expect(plugin.differs(image)).toBeUndefined();
  expect(markedPages(plugin.instance)).toBe(0);
}

describe("trackedRestore", () => {
  it("copies the pages that a call touched, not all pages of the plugin [B2.cost]", async () => {
    const large = await load(
      `const kept = Array.from({ length: 100_000 }, (_, i) => ({ i })); export function run() { return kept.length; }`,
    );
    large.call("run");
    large.restore();
    large.call("run");
    expect(large.image.pages.byteLength).toBeGreaterThan(6 << 20);
    expect(markedPages(large.instance)).toBeLessThan(200);
    expectRestored(large);
  });

  it("restores a store that crosses the end of its page [B1.memory]", async () => {
    const plugin = await load("export function run() {}");
    const { instance, image } = plugin;
    for (const page of [0, 20, 3_000, Math.floor(image.heapEnd / PAGE_BYTES) - 1, Math.floor(image.heapEnd / PAGE_BYTES)]) {
      store(instance, (page + 1) * PAGE_BYTES - 1, 8);
      expectRestored(plugin);
    }
  });

  it("restores at every border of the memory layout [B1.memory]", async () => {
    const plugin = await load("export function run() {}");
    const { instance, image } = plugin;
    const { dataEnd, stackTop } = instance.facts;
    for (const border of [dataEnd, stackTop, image.heapEnd]) {
      for (const address of [border - 4, border, border + 4]) {
        store(instance, address, 4);
        expectRestored(plugin);
      }
    }
    store(instance, 0);
    store(instance, instance.bytes.length - 1);
    expectRestored(plugin);
  });

  it("switches to a larger or smaller image, whatever was written [B1.switch]", async () => {
    const first = await load("const kept = new Uint8Array(5 << 20).fill(7); export function run() { return kept.length; }");
    const second = await load("export function run() { return 2; }");
    first.call("run");
    store(first.instance, first.instance.facts.dataEnd + 64);
    store(first.instance, first.instance.bytes.length - 4096);
    first.instance.words[first.instance.facts.breakAddress >> 2] = 0xffff_fff0;
    first.instance.wrote(first.instance.facts.breakAddress, 4);
    expectRestored(first, second.image);
    expectRestored(first);
    second.call("run");
    expectRestored(second, first.image);
    expectRestored(second, unchanged(await baseImage(meteredModule)));
  });

  it("restores an instance with unknown contents [B1.switch]", async () => {
    const { image } = await load("export function run() {}");
    const base = await baseImage(meteredModule);
    const instance = await Instance.start(meteredModule, base.facts, 1_024);
    instance.bytes.fill(0xa5);
    trackedRestore(base).restore(instance, image);
    expect(differsFrom(instance, image, base)).toBeUndefined();
  });

  it("stores only the differences from the base image for a small plugin [B1.difference]", async () => {
    const { image } = await load("const kept = [1, 2, 3]; export function run() { return kept; }");
    expect(image.pages.byteLength).toBeGreaterThan(0);
    expect(image.pages.byteLength).toBeLessThan((await baseImage(meteredModule)).bytes.byteLength / 8);
  });

  it("restores memory that grew during the call [B2]", async () => {
    const plugin = await load(`export function run() { return new Uint8Array(24 << 20).fill(1).length; }`);
    const before = plugin.instance.bytes.length;
    plugin.call("run");
    expect(plugin.instance.bytes.length).toBeGreaterThan(before);
    expectRestored(plugin);
  });

  it("tracks the host's own writes: arguments, bytes, answers, dates in local time [B1.memory]", async () => {
    const plugin = await load(`
export function dates() { const d = new Date(2020, 5, 17); return [d.getHours(), d.toString(), d.getTimezoneOffset()]; }
export function bytes() { return [...crypto.getRandomValues(new Uint8Array(4096))].length; }
export function texts(args) { return new TextDecoder().decode(new TextEncoder().encode(args.text)).length; }
`);
    const { instance } = plugin;
    for (const [name, args] of [
      ["dates", {}],
      ["bytes", {}],
      ["texts", { text: "x".repeat(100_000) }],
    ] as const) {
      plugin.call(name, args);
      expectRestored(plugin);
    }
    instance.values.newBytes(new Uint8Array(50_000).fill(9));
    expectRestored(plugin);
    // Copied as UTF-8 first, into a buffer of three times the size that is not written otherwise.
    instance.values.newString("x".repeat(20_000));
    expectRestored(plugin);
  });

  it("leaves the same bytes as plain copy, after any program [B1.memory]", async () => {
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
      tracked.restore();
      plain.restore();
      expect(tracked.differs()).toBeUndefined();
      expect(plain.differs()).toBeUndefined();
    }
  });
});
