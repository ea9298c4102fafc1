/**
 * A worker's instances: each is lent to one call at a time, restored after each call, and replaced when it has grown or is broken.
 *
 * A waiting call keeps its instance until another call needs one. Then the call that has waited longest is parked (`image/parked.ts`). So
 * any number of calls can wait, and each costs only the memory that it changed.
 */

import { INITIAL_MEMORY_PAGES, WASM_PAGE_BYTES } from "../engine/engine.ts";
import type { Image } from "../engine/image.ts";
import { Instance } from "../engine/instance.ts";
import { park, type ParkedGuest, parkIn, type Parking, unpark } from "../image/parked.ts";
import type { Restorer } from "../image/restorer.ts";
import { Lease } from "./lease.ts";

/** An instance request: the image to hold, the memory bound, and whether randomness is reseeded. */
export type Wanted = readonly [image: Image, memoryBytes: number, randomness: "fresh" | "image"];

interface InstancesOptions {
  readonly module: WebAssembly.Module;
  readonly restorer: Restorer;
  readonly fillRandom: (bytes: Uint8Array) => void;
  /** Lets guests be suspended, if the runtime can. */
  readonly suspends?: "suspends";
  /** Maximum number of instances of any size. Grown instances of waiting calls are not counted. */
  readonly slots: number;
  readonly parking?: Parking;
  /** Called with the memory size of each dropped instance. */
  readonly onDropped?: (bytes: number) => void;
}

/** Size above which an instance is dropped after its call, because WebAssembly memory never shrinks. */
const DROP_ABOVE_BYTES = INITIAL_MEMORY_PAGES * WASM_PAGE_BYTES * 2;
/** Size above which a waiting call keeps its instance. Most of such memory belongs to the call, and copying it would delay others. */
const STAY_ABOVE_BYTES = INITIAL_MEMORY_PAGES * WASM_PAGE_BYTES;

export class Instances {
  readonly #options: InstancesOptions;
  /** Clean instances, each with the image that it held last, least recently used first. */
  readonly #idle: Instance[] = [];
  /** Waiting calls that can be parked, longest waiting first. */
  readonly #resting: Set<Lease> = new Set();
  /** Waiting calls, with the bytes that each holds outside of a slot. */
  readonly #held: Map<Lease, number> = new Map();
  /** Number of instances in slots: idle, in use, resting or starting. */
  #live = 0;
  /** True while an instance starts. One starts at a time, because most calls that arrive together end before a second instance is ready. */
  #isStarting = false;
  #heldBytes = 0;
  #takenBytes = 0;
  /** Calls in `#held` whose guest is suspended in the engine. */
  readonly #suspended: Set<Lease> = new Set();
  /** Requests that wait for an instance, first come first served. */
  readonly #line: (() => void)[] = [];

  constructor(options: InstancesOptions) {
    this.#options = options;
  }

  /** Bytes held by waiting calls: parked memory, and instances that have grown. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Total bytes of instances started so far, including dropped ones: V8 frees their memory only on garbage collection, which never runs
   * in an idle thread.
   */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Number of waiting calls whose guest has left the engine. */
  get waiting(): number {
    return this.#held.size - this.#suspended.size;
  }

  /** True if the call has left the thread and has not been occupied since. */
  hasWaited(lease: Lease): boolean {
    return this.#held.has(lease);
  }

  /** Returns the bytes that a waiting call holds. */
  heldBy(lease: Lease): number {
    return this.#held.get(lease) ?? 0;
  }

  /** Returns a lease of an available instance, prepared as by `lease`. Returns undefined if an instance must be started or waited for. */
  leaseIdle(...wanted: Wanted): Lease | undefined {
    const [image, memoryBytes] = wanted;
    const instance = this.#take(image, Math.ceil(memoryBytes / WASM_PAGE_BYTES));
    return instance === undefined ? undefined : this.#begin(instance, wanted);
  }

  /** Returns a lease of an instance that holds exactly `image`. Calls get fresh randomness, loads keep the image's. */
  async lease(...wanted: Wanted): Promise<Lease> {
    const [image, memoryBytes] = wanted;
    return this.#begin(await this.#obtain(image, Math.ceil(memoryBytes / WASM_PAGE_BYTES)), wanted);
  }

  /** Starts an instance in advance. Never rejects: if none can be started, the first call reports why. */
  async startAhead(image: Image, memoryBytes: number): Promise<void> {
    const lease = await this.lease(image, memoryBytes, "image").catch(() => undefined);
    if (lease !== undefined) this.giveBack(lease);
  }

  /** Seeds a lent instance's randomness from `random`. */
  reseed({ instance }: Lease, random: (count: number) => Uint8Array): void {
    reseed(instance, this.#options.restorer.base.randomAddress, (bytes) => bytes.set(random(bytes.length)));
  }

  /** Marks a call as waiting. Its instance may be taken from now on. */
  rest(lease: Lease): void {
    if (this.#options.parking === "always") return this.#keep(this.#vacate(lease, lease.image));
    const { length } = lease.instance.bytes;
    const isLarge = length > STAY_ABOVE_BYTES;
    this.#hold(lease, isLarge ? length : 0);
    if (isLarge) this.#live--;
    else this.#resting.add(lease);
    this.#callNext();
  }

  /**
   * Copies a waiting call into memory from `room`. If the call is parked later, this copy is used.
   *
   * @returns undefined if `room` returns none, and for calls with large memory, which stay in their instance
   */
  copyOut(lease: Lease, room: (bytes: number) => Uint8Array | undefined): ParkedGuest | undefined {
    const { parked } = lease;
    if (parked !== undefined) {
      const contents = room(parked.contents.length);
      if (contents === undefined) return undefined;
      contents.set(parked.contents);
      lease.move({ ...parked, contents });
      return lease.parked;
    }
    if (!this.#resting.has(lease)) return undefined;
    lease.copy = parkIn(lease.instance, this.#options.restorer, room);
    this.#hold(lease, lease.copy?.contents.length ?? 0);
    return lease.copy;
  }

  /** Adds a waiting call from another worker. */
  adopt(lease: Lease): void {
    this.#hold(lease, lease.parked?.contents.length ?? 0);
  }

  /** Marks the call's guest as suspended in the engine. It keeps its instance, which no longer counts as a slot. */
  suspend(lease: Lease): void {
    this.#suspended.add(lease);
    this.#hold(lease, lease.usedBytes);
    this.#live--;
    this.#callNext();
  }

  /** Resumes a call, in `lease.instance`. @returns false if no instance is available; call `bringBack` then */
  occupy(lease: Lease): boolean {
    if (!this.#held.has(lease)) return true;
    const { parked } = lease;
    if (parked === undefined) {
      // An instance that has grown takes a slot again.
      if (!this.#resting.delete(lease)) this.#live++;
    } else {
      const instance = this.#take(lease.image, lease.pages);
      if (instance === undefined) return false;
      unpark(instance, lease.image, parked, this.#options.restorer);
      lease.move(instance);
    }
    this.#letGo(lease);
    return true;
  }

  /** Obtains an instance for a parked call. Does nothing if the call ends meanwhile. */
  async bringBack(lease: Lease): Promise<void> {
    const instance = await this.#obtain(lease.image, lease.pages);
    const { parked } = lease;
    if (lease.isOver || parked === undefined) return this.#keep(instance);
    unpark(instance, lease.image, parked, this.#options.restorer);
    lease.move(instance);
    this.#letGo(lease);
  }

  /** Ends the lease. Restores the instance at once, so that the plugin's next call finds it ready. */
  giveBack(lease: Lease): void {
    lease.isOver = true;
    const { parked, image } = lease;
    if (parked === undefined) {
      this.occupy(lease);
      const { instance } = lease;
      instance.close();
      if (!isWorn(instance)) this.#options.restorer.restore(instance, image);
      this.#keep(instance);
    }
    this.#letGo(lease);
  }

  /** Stores or drops an instance that no lease uses. */
  #keep(instance: Instance): void {
    const isDropped = isWorn(instance);
    if (isDropped) {
      this.#takenBytes += instance.bytes.length;
      this.#options.onDropped?.(instance.bytes.length);
    }
    // Grown instances that were waiting can exceed the number of slots.
    if (isDropped || this.#live > this.#options.slots) this.#live--;
    else this.#idle.push(instance);
    this.#callNext();
  }

  #begin(instance: Instance, [image, , randomness]: Wanted): Lease {
    const { restorer, fillRandom } = this.#options;
    // Idle instances of the base image are never reseeded: loads use them, calls never do.
    if (randomness === "fresh") reseed(instance, restorer.base.randomAddress, fillRandom);
    return new Lease(image, instance);
  }

  /** Returns a clean instance with the image: an idle one, or if no more may be started, that of the call that has waited longest. */
  #take(image: Image, pages: number): Instance | undefined {
    const { restorer, slots } = this.#options;
    const fits = ({ requestedPages }: Instance): boolean => requestedPages === pages;
    // Prefer the most recently used instance: its memory is still in the processor's caches.
    const ready = this.#idle.findLastIndex((instance) => instance.holds === image && fits(instance));
    const index = ready >= 0 ? ready : this.#idle.findIndex(fits);
    const [instance] = index < 0 ? [] : this.#idle.splice(index, 1);
    if (instance !== undefined) {
      if (instance.holds !== image) restorer.restore(instance, image);
      return instance;
    }
    if (this.#live < slots) return undefined;
    for (const lease of this.#resting) if (lease.pages === pages) return this.#vacate(lease, image);
    return undefined;
  }

  /** Like `#take`, but starts or waits for an instance if necessary. */
  async #obtain(image: Image, pages: number): Promise<Instance> {
    for (;;) {
      const instance = this.#take(image, pages);
      if (instance !== undefined) return instance;
      if (!this.#isStarting && (this.#live < this.#options.slots || this.#dropOne())) return await this.#start(image, pages);
      await new Promise<void>((resolve) => this.#line.push(resolve));
    }
  }

  async #start(image: Image, pages: number): Promise<Instance> {
    const { module, restorer, suspends } = this.#options;
    this.#live++;
    this.#isStarting = true;
    try {
      const instance = await Instance.start(module, restorer.base.facts, pages, suspends);
      restorer.restore(instance, image);
      this.#takenBytes += instance.bytes.length;
      this.#isStarting = false;
      // The next request in line is called when the new guest waits or ends.
      return instance;
    } catch (error) {
      this.#live--;
      this.#isStarting = false;
      this.#callNext();
      throw error;
    }
  }

  /** Frees the slot of an instance with another memory size than requested. */
  #dropOne(): boolean {
    const idle = this.#idle.shift();
    if (idle === undefined) {
      const [lease] = this.#resting;
      if (lease === undefined) return false;
      this.#vacate(lease, lease.image);
    }
    this.#live--;
    return true;
  }

  /** Parks a waiting call. Its instance then holds `next`. */
  #vacate(lease: Lease, next: Image): Instance {
    const { restorer } = this.#options;
    const { instance } = lease;
    this.#resting.delete(lease);
    instance.close();
    const guest = lease.copy ?? park(instance, restorer);
    lease.move(guest);
    this.#hold(lease, guest.contents.length);
    restorer.restore(instance, next);
    return instance;
  }

  #hold(lease: Lease, bytes: number): void {
    this.#heldBytes += bytes - this.heldBy(lease);
    this.#held.set(lease, bytes);
  }

  #letGo(lease: Lease): void {
    lease.copy = undefined;
    this.#heldBytes -= this.heldBy(lease);
    this.#held.delete(lease);
    this.#suspended.delete(lease);
  }

  #callNext(): void {
    this.#line.shift()?.();
  }
}

function isWorn({ broken, memoryExhausted, bytes }: Instance): boolean {
  return broken || memoryExhausted || bytes.length > DROP_ABOVE_BYTES;
}

/** Reseeds `Math.random`, whose state is part of the image. Without this every call would repeat the same numbers. */
function reseed(instance: Instance, address: number, fillRandom: (bytes: Uint8Array) => void): void {
  const state = instance.bytes.subarray(address, address + 8);
  fillRandom(state);
  instance.wrote(address, 8);
  // Zero is the generator's only fixed point.
  if (state.every((byte) => byte === 0)) state[0] = 1;
}
