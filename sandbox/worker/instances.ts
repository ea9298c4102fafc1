/**
 * A worker's instances: few, lent to one call at a time, restored after each, replaced when they are worn.
 *
 * A call that waits keeps its instance until another call wants one; then the one that waits for longest is parked
 * (`../parked.ts`). So any number of calls may wait, at the price of what each changed.
 */

import { INITIAL_MEMORY_PAGES, WASM_PAGE_BYTES } from "../engine/engine.ts";
import type { Image } from "../image/image.ts";
import { Instance } from "../engine/instance.ts";
import { park, type ParkedGuest, parkIn, type Parking, unpark } from "../image/parked.ts";
import type { Restorer } from "../image/restorer.ts";
import { Lease } from "./lease.ts";

/** What is to be held, by how large a memory, and whether with randomness of its own. */
export type Wanted = readonly [image: Image, memoryBytes: number, randomness: "fresh" | "image"];

export interface InstancesOptions {
  readonly module: WebAssembly.Module;
  readonly restorer: Restorer;
  readonly fillRandom: (bytes: Uint8Array) => void;
  /** Guests may be suspended in them, where the runtime can. */
  readonly suspends?: "suspends";
  /** Instances at once, whatever their memory; those that grew and wait come on top. */
  readonly slots: number;
  readonly parking?: Parking;
  /** An instance is not used any more, and had so much memory. */
  readonly onDropped?: (bytes: number) => void;
}

/** An instance that grew this far is dropped after its call: memory of WebAssembly never shrinks. */
const DROP_ABOVE_BYTES = INITIAL_MEMORY_PAGES * WASM_PAGE_BYTES * 2;
/** A call that waits with more memory stays in its instance: most of that is its own, wherever it lies, and copying it would hold up others. */
const STAY_ABOVE_BYTES = INITIAL_MEMORY_PAGES * WASM_PAGE_BYTES;

export class Instances {
  readonly #options: InstancesOptions;
  /** Clean instances, each holding what it was last used for; the one unused for longest first. */
  readonly #idle: Instance[] = [];
  /** Calls that wait and could be parked, the one that waits for longest first. */
  readonly #resting: Set<Lease> = new Set();
  /** Calls that wait, and what each of them holds beside a slot. */
  readonly #held: Map<Lease, number> = new Map();
  /** Instances in slots: idle, in use, resting, or being started. */
  #live = 0;
  /** One after the other: of calls that come together most are over before a second instance is there. */
  #isStarting = false;
  #heldBytes = 0;
  #takenBytes = 0;
  /** Of those that hold something, the calls whose guest is suspended in the engine. */
  readonly #suspended: Set<Lease> = new Set();
  /** Who needs an instance while all of them are in use, in the order they came. */
  readonly #line: (() => void)[] = [];

  constructor(options: InstancesOptions) {
    this.#options = options;
  }

  /** Bytes that calls hold while they wait: parked memory, and instances that grew. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Bytes of memory that instances have taken so far, those that were dropped included: V8 gives these back when it collects,
   * which a thread with nothing to do never does.
   */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Calls that wait, and whose guest has left the engine. */
  get waiting(): number {
    return this.#held.size - this.#suspended.size;
  }

  /** Whether the call has left the thread and has not been occupied since. */
  hasWaited(lease: Lease): boolean {
    return this.#held.has(lease);
  }

  /** What one of them holds. */
  heldBy(lease: Lease): number {
    return this.#held.get(lease) ?? 0;
  }

  /** A lease of an instance that is there, made ready as by `lease`; undefined if one has to be started or waited for. */
  leaseIdle(...wanted: Wanted): Lease | undefined {
    const [image, memoryBytes] = wanted;
    const instance = this.#take(image, Math.ceil(memoryBytes / WASM_PAGE_BYTES));
    return instance === undefined ? undefined : this.#begin(instance, wanted);
  }

  /** An instance that holds exactly `image`; a call's gets randomness of its own, a load's keeps what is in the image. */
  async lease(...wanted: Wanted): Promise<Lease> {
    const [image, memoryBytes] = wanted;
    return this.#begin(await this.#obtain(image, Math.ceil(memoryBytes / WASM_PAGE_BYTES)), wanted);
  }

  /** Starts an instance before it is asked for. Never rejects: where none can be started, the first call says why. */
  async startAhead(image: Image, memoryBytes: number): Promise<void> {
    const lease = await this.lease(image, memoryBytes, "image").catch(() => undefined);
    if (lease !== undefined) this.giveBack(lease);
  }

  /** Gives a lent instance the randomness that `random` makes. */
  reseed({ instance }: Lease, random: (count: number) => Uint8Array): void {
    reseed(instance, this.#options.restorer.base.randomAddress, (bytes) => bytes.set(random(bytes.length)));
  }

  /** The call waits: from now on its instance may be taken. */
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
   * Copies a call that waits into memory that `room` gives, where it is parked when its instance is wanted.
   *
   * @returns undefined where `room` gives none, and for a call whose memory is large: it is its instance's
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

  /** A call that waits comes from another worker. */
  adopt(lease: Lease): void {
    this.#hold(lease, lease.parked?.contents.length ?? 0);
  }

  /** The call's guest is suspended in the engine: it keeps its instance, beside the slots. */
  suspend(lease: Lease): void {
    this.#suspended.add(lease);
    this.#hold(lease, lease.usedBytes);
    this.#live--;
    this.#callNext();
  }

  /** The call goes on, in `lease.instance`. @returns false if there is none for it yet: see `bringBack` */
  occupy(lease: Lease): boolean {
    if (!this.#held.has(lease)) return true;
    const { parked } = lease;
    if (parked === undefined) {
      // One that had grown takes a slot again.
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

  /** Finds an instance for a parked call. Does nothing for one that ends meanwhile. */
  async bringBack(lease: Lease): Promise<void> {
    const instance = await this.#obtain(lease.image, lease.pages);
    const { parked } = lease;
    if (lease.isOver || parked === undefined) return this.#keep(instance);
    unpark(instance, lease.image, parked, this.#options.restorer);
    lease.move(instance);
    this.#letGo(lease);
  }

  /** The call is over: its instance is restored now, so that the next call of the same plugin finds it ready. */
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

  /** Nobody has the instance any more. */
  #keep(instance: Instance): void {
    const isDropped = isWorn(instance);
    if (isDropped) {
      this.#takenBytes += instance.bytes.length;
      this.#options.onDropped?.(instance.bytes.length);
    }
    // Those that had grown and waited make more of them than there are slots.
    if (isDropped || this.#live > this.#options.slots) this.#live--;
    else this.#idle.push(instance);
    this.#callNext();
  }

  #begin(instance: Instance, [image, , randomness]: Wanted): Lease {
    const { restorer, fillRandom } = this.#options;
    // An idle instance of the base image was never reseeded: loads use it, calls never do.
    if (randomness === "fresh") reseed(instance, restorer.base.randomAddress, fillRandom);
    return new Lease(image, instance);
  }

  /** A clean instance with the image: an idle one, or where no more may be started that of the call that waits for longest. */
  #take(image: Image, pages: number): Instance | undefined {
    const { restorer, slots } = this.#options;
    const fits = ({ requestedPages }: Instance): boolean => requestedPages === pages;
    // The one used last: its memory is still near the processor.
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

  /** The same, started if need be. */
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
      // Whoever stands in line is called when the guest that comes into it now waits or is done.
      return instance;
    } catch (error) {
      this.#live--;
      this.#isStarting = false;
      this.#callNext();
      throw error;
    }
  }

  /** Frees the slot of an instance whose memory is of another size than what is wanted. */
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

  /** Parks a call that waits; its instance holds `next` now. */
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

/** `Math.random`'s state is in the image: without this every call would repeat the last one's numbers. */
function reseed(instance: Instance, address: number, fillRandom: (bytes: Uint8Array) => void): void {
  const state = instance.bytes.subarray(address, address + 8);
  fillRandom(state);
  instance.wrote(address, 8);
  // The generator has one fixed point, zero.
  if (state.every((byte) => byte === 0)) state[0] = 1;
}
