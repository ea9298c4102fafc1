/** A worker's instances: lent to one call at a time, restored after each, replaced when they are worn. */

import type { Image, Restorer } from "../image.ts";
import { Instance } from "../instance.ts";
import { INITIAL_MEMORY_PAGES, WASM_PAGE_BYTES } from "../engine.ts";

export interface Lease {
  readonly instance: Instance;
  readonly image: Image;
}

export interface Instances {
  /** An instance that holds exactly `image`; a call's gets randomness of its own, a load's keeps what is in the image. */
  lease(image: Image, memoryBytes: number, randomness: "fresh" | "image"): Promise<Lease>;
  /**
   * Takes an instance back after a call: restored now, so that the next call of the same plugin finds it ready. `held`
   * is what it held before: another image if `image` was made from it.
   */
  giveBack(lease: Lease, held?: Image): void;
}

export interface InstancesOptions {
  readonly module: WebAssembly.Module;
  readonly restorer: Restorer;
  readonly fillRandom: (bytes: Uint8Array) => void;
  /** Idle instances kept for each memory size. */
  readonly keep: number;
}

/** An instance that grew this far is dropped after its call: memory that grew stays grown (DESIGN §2). */
const DROP_ABOVE_BYTES = INITIAL_MEMORY_PAGES * WASM_PAGE_BYTES * 2;

interface Idle {
  readonly instance: Instance;
  /** What it holds, restored and ready. */
  readonly holds: Image | undefined;
}

export function createInstances(options: InstancesOptions): Instances {
  const idle = new Map<number, Idle[]>();
  const shelf = (pages: number): Idle[] => {
    const known = idle.get(pages);
    if (known !== undefined) return known;
    const made: Idle[] = [];
    idle.set(pages, made);
    return made;
  };

  function take(image: Image, pages: number): Idle | undefined {
    const free = shelf(pages);
    const ready = free.findIndex((entry) => entry.holds === image);
    return ready >= 0 ? free.splice(ready, 1)[0] : free.shift();
  }

  return {
    async lease(image, memoryBytes, randomness) {
      const pages = Math.ceil(memoryBytes / WASM_PAGE_BYTES);
      const found = take(image, pages) ?? { instance: await Instance.start(options.module, image.facts, pages), holds: undefined };
      const { instance } = found;
      if (found.holds !== image) options.restorer.restore(instance, image, found.holds);
      // An idle instance of the base image was never reseeded: loads use it, calls never do.
      if (randomness === "fresh") reseed(instance, image, options.fillRandom);
      return { instance, image };
    },
    giveBack({ instance, image }, held = image) {
      const free = shelf(instance.requestedPages);
      instance.close();
      const worn = instance.broken || instance.memoryExhausted || instance.bytes.length > DROP_ABOVE_BYTES;
      if (worn || free.length >= options.keep) return;
      options.restorer.restore(instance, image, held);
      free.push({ instance, holds: image });
    },
  };
}

/** `Math.random`'s state is in the image: without this every call would repeat the last one's numbers (FACTS, engine). */
function reseed(instance: Instance, image: Image, fillRandom: (bytes: Uint8Array) => void): void {
  if (image.randomAddress === 0) return;
  const state = instance.bytes.subarray(image.randomAddress, image.randomAddress + 8);
  fillRandom(state);
  instance.wrote(image.randomAddress, 8);
  // The generator has one fixed point, zero.
  if (state.every((byte) => byte === 0)) state[0] = 1;
}
