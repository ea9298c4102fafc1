/** A worker's instances: lent to one call at a time, restored after each, replaced when they are worn. */

import type { Image } from "../image.ts";
import type { Restorer } from "../plain-copy.ts";
import { Instance } from "../instance.ts";
import { INITIAL_MEMORY_PAGES, WASM_PAGE_BYTES } from "../engine.ts";

export interface Lease {
  readonly instance: Instance;
  readonly image: Image;
}

/** What is to be held, by how large a memory, and whether with randomness of its own. */
export type Wanted = readonly [image: Image, memoryBytes: number, randomness: "fresh" | "image"];

export interface Instances {
  /** An idle instance, made ready as by `lease`; undefined if there is none. */
  leaseIdle(...wanted: Wanted): Lease | undefined;
  /** An instance that holds exactly `image`; a call's gets randomness of its own, a load's keeps what is in the image. */
  lease(...wanted: Wanted): Promise<Lease>;
  /** Gives a lent instance the randomness that `random` makes. */
  reseed(lease: Lease, random: (count: number) => Uint8Array): void;
  /** Takes an instance back after a call: restored to `image` now, so that the next call of the same plugin finds it ready. */
  giveBack(lease: Lease): void;
}

export interface InstancesOptions {
  readonly module: WebAssembly.Module;
  readonly restorer: Restorer;
  readonly fillRandom: (bytes: Uint8Array) => void;
  /** Idle instances kept, whatever their memory. */
  readonly keep: number;
}

/** An instance that grew this far is dropped after its call: memory that grew stays grown (DESIGN §2). */
const DROP_ABOVE_BYTES = INITIAL_MEMORY_PAGES * WASM_PAGE_BYTES * 2;

export function createInstances(options: InstancesOptions): Instances {
  const { module, restorer, fillRandom, keep } = options;
  const { facts, randomAddress } = restorer.base;
  /** Clean instances, each holding what it was last used for; the one unused for longest first. */
  const idle: Instance[] = [];

  function take(image: Image, pages: number): Instance | undefined {
    const fits = ({ requestedPages }: Instance): boolean => requestedPages === pages;
    const ready = idle.findIndex((instance) => instance.holds === image && fits(instance));
    const index = ready >= 0 ? ready : idle.findIndex(fits);
    return index < 0 ? undefined : idle.splice(index, 1)[0];
  }

  function prepare(instance: Instance, [image, , randomness]: Wanted): Lease {
    if (instance.holds !== image) restorer.restore(instance, image);
    // An idle instance of the base image was never reseeded: loads use it, calls never do.
    if (randomness === "fresh") reseed(instance, randomAddress, fillRandom);
    return { instance, image };
  }

  function leaseIdle(...wanted: Wanted): Lease | undefined {
    const [image, memoryBytes] = wanted;
    const instance = take(image, Math.ceil(memoryBytes / WASM_PAGE_BYTES));
    return instance === undefined ? undefined : prepare(instance, wanted);
  }

  return {
    leaseIdle,
    async lease(...wanted) {
      const pages = Math.ceil(wanted[1] / WASM_PAGE_BYTES);
      return leaseIdle(...wanted) ?? prepare(await Instance.start(module, facts, pages), wanted);
    },
    reseed: ({ instance }, random) => reseed(instance, randomAddress, (bytes) => bytes.set(random(bytes.length))),
    giveBack({ instance, image }) {
      instance.close();
      const isWorn = instance.broken || instance.memoryExhausted || instance.bytes.length > DROP_ABOVE_BYTES;
      if (isWorn) return;
      restorer.restore(instance, image);
      idle.push(instance);
      if (idle.length > keep) idle.shift();
    },
  };
}

/** `Math.random`'s state is in the image: without this every call would repeat the last one's numbers (FACTS, engine). */
function reseed(instance: Instance, address: number, fillRandom: (bytes: Uint8Array) => void): void {
  const state = instance.bytes.subarray(address, address + 8);
  fillRandom(state);
  instance.wrote(address, 8);
  // The generator has one fixed point, zero.
  if (state.every((byte) => byte === 0)) state[0] = 1;
}
