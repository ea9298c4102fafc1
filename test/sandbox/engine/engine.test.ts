import { describe, expect, it } from "vitest";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import { baseImage, engineModule, loadInThread } from "../../support/in-thread.ts";
import { learnFacts } from "../../../sandbox/engine/engine-facts.ts";

describe("engine facts", () => {
  it("are the same each time", async () => {
    expect(await learnFacts(engineModule)).toEqual(await learnFacts(engineModule));
  });

  it("contain the real lower end of the stack: recursion never writes below it", async () => {
    const plugin = await loadInThread("export function down() { return down() + 1; }", plainCopy);
    const { instance } = plugin;
    const { dataEnd, stackTop } = instance.facts;
    plugin.call("down");
    const lowest = instance.bytes.subarray(dataEnd, stackTop).findIndex((byte) => byte !== 0);
    expect(lowest).toBeGreaterThan(0);
    expect(dataEnd + lowest).toBeGreaterThan(stackTop - 2 * 1024 * 1024);
  });
});

describe("base image", () => {
  it("is byte-identical each time [B9.image]", async () => {
    const { makeBaseImage } = await import("../../../sandbox/image/base-image.ts");
    const [one, two] = [await baseImage(), await makeBaseImage(engineModule)];
    expect(two.heapEnd).toBe(one.heapEnd);
    expect(Buffer.compare(new Uint8Array(one.bytes), new Uint8Array(two.bytes))).toBe(0);
  });

  it("fits any instance, whatever the instance held before [B1.switch]", async () => {
    const first = await loadInThread(
      "const kept = new Uint8Array(3 << 20).fill(7); export function run() { return kept.length; }",
      plainCopy,
    );
    const second = await loadInThread("export function run() { return 2; }", plainCopy);
    first.call("run");
    first.restore(second.image);
    expect(first.differs(second.image)).toBeUndefined();
  });

  it("overwrites what a guest wrote past the allocator's break before another plugin uses the instance [B1.switch]", async () => {
    const first = await loadInThread("export function run() { return 1; }", plainCopy);
    const second = await loadInThread("export function run() { return 2; }", plainCopy);
    const { bytes } = first.instance;
    // As a guest in control of its memory could.
    bytes.fill(0xa5, bytes.length - 4096);
    bytes.fill(0xa5, first.instance.facts.dataEnd, first.instance.facts.dataEnd + 64);
    first.instance.words[first.instance.facts.breakAddress >> 2] = 0xffff_fff0;
    first.restore(second.image);
    expect(first.differs(second.image)).toBeUndefined();
  });
});
