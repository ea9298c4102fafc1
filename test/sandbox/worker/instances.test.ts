import { beforeAll, describe, expect, it, vi } from "vitest";
import { type BaseImage, type Image, unchanged } from "../../../sandbox/engine/image.ts";
import type { Instance } from "../../../sandbox/engine/instance.ts";
import { differsFrom } from "../../../sandbox/image/compare.ts";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import type { Restorer } from "../../../sandbox/image/restorer.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { Instances } from "../../../sandbox/worker/instances.ts";
import type { Lease } from "../../../sandbox/worker/lease.ts";
import { baseImage, engineModule, loadInThread, meteredModule } from "../../support/in-thread.ts";

describe("instances", () => {
  it("are few and reused, however many memory sizes plugins request", async () => {
    const base = await baseImage(meteredModule);
    const image = unchanged(base);
    const instances = new Instances({ module: meteredModule, restorer: trackedRestore(base), fillRandom: () => {}, slots: 3 });
    const sizes = Array.from({ length: 6 }, (_, index) => (64 + index) << 20);
    for (const size of sizes) instances.giveBack(await instances.lease(image, size, "image"));
    expect(sizes.map((size) => instances.leaseIdle(image, size, "image") !== undefined)).toEqual([false, false, false, true, true, true]);
  });

  it("are counted with their memory, including dropped ones, because V8 frees memory late [LV5.taken]", async () => {
    const base = await baseImage(meteredModule);
    const image = unchanged(base);
    const instances = new Instances({ module: meteredModule, restorer: trackedRestore(base), fillRandom: () => {}, slots: 3 });
    const first = await instances.lease(image, 64 << 20, "image");
    const startBytes = first.instance.bytes.length;
    instances.giveBack(first);
    instances.giveBack(await instances.lease(image, 64 << 20, "image"));
    expect(instances.takenBytes).toBe(startBytes);
    const grown = await instances.lease(image, 64 << 20, "image");
    grown.instance.ensureBytes(48 << 20);
    instances.giveBack(grown);
    expect(instances.takenBytes).toBe(startBytes + (48 << 20));
    instances.giveBack(await instances.lease(image, 64 << 20, "image"));
    expect(instances.takenBytes).toBe(2 * startBytes + (48 << 20));
  });

  it("are reused while in the processor's cache: the last one with the image first", async () => {
    const base = await baseImage(meteredModule);
    const image = unchanged(base);
    const instances = new Instances({ module: meteredModule, restorer: trackedRestore(base), fillRandom: () => {}, slots: 3 });
    const leases = [await instances.lease(image, 64 << 20, "fresh"), await instances.lease(image, 64 << 20, "fresh")];
    for (const lease of leases) instances.giveBack(lease);
    for (let call = 0; call < 3; call++) {
      const lease = await instances.lease(image, 64 << 20, "fresh");
      expect(lease.instance).toBe(leases[1]?.instance);
      instances.giveBack(lease);
    }
  });

  it("are started one after the other, because most concurrent calls can reuse one", async () => {
    const base = await baseImage(meteredModule);
    const image = unchanged(base);
    const instances = new Instances({ module: meteredModule, restorer: trackedRestore(base), fillRandom: () => {}, slots: 8 });
    const brief = Array.from({ length: 8 }, async () => {
      const lease = await instances.lease(image, 64 << 20, "fresh");
      instances.giveBack(lease);
      return lease.instance;
    });
    expect(new Set(await Promise.all(brief)).size).toBe(1);
    // Calls that stay have one each.
    const leases = Array.from({ length: 8 }, () =>
      instances.lease(image, 64 << 20, "fresh").then((lease) => (instances.rest(lease), lease.instance)),
    );
    expect(new Set(await Promise.all(leases)).size).toBe(8);
  });

  it("are started ahead if possible; otherwise the next lease reports why", async () => {
    const base = await baseImage(meteredModule);
    const image = unchanged(base);
    const instances = new Instances({ module: meteredModule, restorer: trackedRestore(base), fillRandom: () => {}, slots: 1 });
    // More than WebAssembly can address.
    await instances.startAhead(image, 2 ** 40);
    await expect(instances.lease(image, 2 ** 40, "fresh")).rejects.toThrow(RangeError);
    await instances.startAhead(image, 64 << 20);
    expect(instances.leaseIdle(image, 64 << 20, "fresh")).toBeDefined();
  });

  it("are restored completely after reseeding, and reused for the next call [B1.memory]", async () => {
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

/** Writes into a guest's heap, as a call would. */
function write({ instance }: Lease, text: string): void {
  const bytes = new TextEncoder().encode(text.padEnd(TEXT_BYTES));
  instance.bytes.set(bytes, addressIn(instance));
  instance.wrote(addressIn(instance), bytes.length);
}

function textIn(instance: Instance): string {
  const address = addressIn(instance);
  return new TextDecoder().decode(instance.bytes.subarray(address, address + TEXT_BYTES)).trimEnd();
}

function addressIn({ facts }: Instance): number {
  return facts.stackTop + 65_536;
}

const TEXT_BYTES = 16;
const MB = 1 << 20;

// Comparing all of memory is slow on a loaded machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.each([
  ["marked pages", trackedRestore, meteredModule],
  ["plain copy", plainCopy, engineModule],
] as const)("calls that wait, on instances restored by %s", (_name, makeRestorer, module) => {
  let base: BaseImage;
  let first: Image;
  let second: Image;
  beforeAll(async () => {
    base = await baseImage(module);
    first = (await loadInThread("export const first = 1;", makeRestorer, { module })).image;
    second = (await loadInThread("export const second = 2;", makeRestorer, { module })).image;
  });
  const open = (slots: number, restorer: Restorer = makeRestorer(base)): Instances =>
    new Instances({ module, restorer, fillRandom: () => {}, slots });

  it("keep their instance until another call needs it; the longest waiting call is parked, and gets its memory back [B2.parked] [B1.parked]", async () => {
    const instances = open(2);
    const leases = [await instances.lease(first, 64 * MB, "image"), await instances.lease(second, 64 * MB, "image")];
    for (const [index, lease] of leases.entries()) {
      write(lease, `text of ${index}`);
      instances.rest(lease);
    }
    expect(leases.map(({ parked }) => parked === undefined)).toEqual([true, true]);
    expect(instances).toMatchObject({ waiting: 2, heldBytes: 0 });
    for (let index = 2; index < 7; index++) {
      const lease = instances.leaseIdle(index % 2 === 0 ? first : second, 64 * MB, "image");
      if (lease === undefined) throw new Error("No instance");
      expect(differsFrom(lease.instance, lease.image, base)).toBeUndefined();
      write(lease, `text of ${index}`);
      instances.rest(lease);
      leases.push(lease);
      // Only the last two calls have an instance.
      expect(leases.map(({ parked }) => parked === undefined)).toEqual(leases.map((_, other) => other >= index - 1));
    }
    expect(instances.waiting).toBe(7);
    expect(instances.heldBytes).toBeGreaterThan(0);
    for (const [index, lease] of leases.entries()) {
      expect(instances.occupy(lease)).toBe(true);
      expect(textIn(lease.instance)).toBe(`text of ${index}`);
      instances.giveBack(lease);
      expect(differsFrom(lease.instance, lease.image, base)).toBeUndefined();
    }
    expect(instances).toMatchObject({ waiting: 0, heldBytes: 0 });
  });

  it("see each other's bytes if restoring is switched off [B1.off]", async () => {
    const off: Restorer = { ...makeRestorer(base), restore: (instance, image) => instance.adopt(image, base.handles) };
    const instances = open(1, off);
    const secret = await instances.lease(first, 64 * MB, "image");
    write(secret, "a secret");
    instances.rest(secret);
    const other = instances.leaseIdle(second, 64 * MB, "image");
    expect(other !== undefined && textIn(other.instance) === "a secret").toBe(true);
  });

  it("end without an instance, and then hold nothing", async () => {
    const instances = open(1);
    const waiting = await instances.lease(first, 64 * MB, "image");
    write(waiting, "x");
    const { usedBytes, fuelSpent } = waiting;
    instances.rest(waiting);
    const running = instances.leaseIdle(second, 64 * MB, "image");
    expect(waiting.parked).toBeDefined();
    expect(() => waiting.instance).toThrow("parked");
    expect(waiting).toMatchObject({ usedBytes, fuelSpent });
    // The only instance is in use.
    expect(instances.occupy(waiting)).toBe(false);
    instances.giveBack(waiting);
    expect(instances).toMatchObject({ waiting: 0, heldBytes: 0 });
    expect(running !== undefined && differsFrom(running.instance, second, base)).toBeUndefined();
  });

  it("get an instance in order of arrival once others rest or end; a call that has ended takes none", async () => {
    const instances = open(1);
    const [one, two, three] = [0, 1, 2].map(() => instances.lease(first, 64 * MB, "image"));
    if (one === undefined || two === undefined || three === undefined) throw new Error("Expected three leases");
    const a = await one;
    write(a, "text of a");
    instances.rest(a);
    const b = await two;
    expect(a.parked).toBeDefined();
    const back = instances.bringBack(a);
    instances.giveBack(b);
    const c = await three;
    instances.giveBack(a);
    instances.giveBack(c);
    await back;
    expect(a.parked).toBeDefined();
    expect(instances).toMatchObject({ waiting: 0, heldBytes: 0 });
    // The only instance has been returned.
    expect(instances.leaseIdle(first, 64 * MB, "image")?.instance).toBe(c.instance);
  });

  it("keep a grown instance, with its memory counted and its slot free for others [B3.held]", async () => {
    const instances = open(1);
    const large = await instances.lease(first, 64 * MB, "image");
    large.instance.ensureBytes(20 * MB);
    write(large, "large");
    instances.rest(large);
    expect(instances).toMatchObject({ waiting: 1, heldBytes: 20 * MB });
    const next = await instances.lease(second, 64 * MB, "image");
    expect(large.parked).toBeUndefined();
    expect(next.instance).not.toBe(large.instance);
    expect(instances.occupy(large)).toBe(true);
    expect(textIn(large.instance)).toBe("large");
    expect(instances).toMatchObject({ waiting: 0, heldBytes: 0 });
    instances.giveBack(large);
    instances.giveBack(next);
    expect(instances.leaseIdle(first, 64 * MB, "image")?.instance).toBe(next.instance);
  });

  it("make space for other memory sizes, and return into their own", async () => {
    const instances = open(1);
    const small = await instances.lease(first, 64 * MB, "image");
    write(small, "small");
    instances.rest(small);
    expect(instances.leaseIdle(first, 128 * MB, "image")).toBeUndefined();
    const wide = await instances.lease(first, 128 * MB, "image");
    expect(small.parked).toBeDefined();
    instances.rest(wide);
    expect(instances.occupy(small)).toBe(false);
    await instances.bringBack(small);
    expect(small.instance.requestedPages).toBe(1_024);
    expect(textIn(small.instance)).toBe("small");
    expect(wide.parked).toBeDefined();
  });
});
