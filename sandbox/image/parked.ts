/**
 * Parking: a guest that waits is copied out of its instance, which another call may then have, and copied back when it
 * goes on. What is kept are the pages that it changed since its image, and the little that is not in memory.
 */

import type { Image } from "./image.ts";
import type { Instance, Registers } from "../engine/instance.ts";
import { PAGE_BYTES } from "./marks.ts";
import type { PageRun } from "./page-runs.ts";
import type { Restorer } from "./restorer.ts";
import { OVERHANG_BYTES } from "../wasm/barrier.ts";

/** When calls that wait are parked: where another call needs the instance; `always`, at once, is for tests. */
export type Parking = "needed" | "always";

/** A guest at rest without an instance. Nothing in it points anywhere. Structured-clonable. */
export interface ParkedGuest {
  /** For each run of pages that the guest changed, the first page and the one after the last, ascending. */
  readonly runs: Uint32Array;
  /** Their bytes, one run after the other, each with its overhang. */
  readonly contents: Uint8Array;
  /** Its memory had so many; what lies in no run is the image's. */
  readonly memoryBytes: number;
  /** Of those it had taken from its allocator. */
  readonly usedBytes: number;
  readonly usedStackBytes: number | undefined;
  readonly fuelSpent: number;
  readonly registers: Registers;
}

/** Copies a guest out. No guest code may be under way in the instance, which may then be restored to anything. */
export function park(instance: Instance, restorer: Restorer): ParkedGuest {
  const runs = restorer.changed(instance);
  return copyOut(instance, runs, new Uint8Array(lengthOf(runs, instance)));
}

/** The same into memory that `room` gives, so many bytes of it; undefined if it gives none. */
export function parkIn(instance: Instance, restorer: Restorer, room: (bytes: number) => Uint8Array | undefined): ParkedGuest | undefined {
  const runs = restorer.changed(instance);
  const contents = room(lengthOf(runs, instance));
  return contents && copyOut(instance, runs, contents);
}

function lengthOf(runs: readonly PageRun[], { bytes }: Instance): number {
  return runs.reduce((sum, [first, end]) => sum + bytesOf(first, end, bytes).length, 0);
}

function copyOut(instance: Instance, runs: readonly PageRun[], contents: Uint8Array): ParkedGuest {
  const { bytes, usedBytes, usedStackBytes, fuelSpent, registers } = instance;
  let at = 0;
  for (const [first, end] of runs) {
    const part = bytesOf(first, end, bytes);
    contents.set(part, at);
    at += part.length;
  }
  return { runs: Uint32Array.from(runs.flat()), contents, memoryBytes: bytes.length, usedBytes, usedStackBytes, fuelSpent, registers };
}

/** Makes an instance hold the guest again. @throws {RangeError} if its memory does not fit */
export function unpark(instance: Instance, image: Image, guest: ParkedGuest, restorer: Restorer): void {
  restorer.restore(instance, image);
  instance.ensureBytes(guest.memoryBytes);
  const { bytes } = instance;
  const { runs, contents } = guest;
  let at = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const [first, end] = [runs[index] ?? 0, runs[index + 1] ?? 0];
    const target = bytesOf(first, end, bytes);
    target.set(contents.subarray(at, at + target.length));
    // Also the overhang: whatever differs from the image has to be marked by its own page or by the one before.
    instance.wrote(first * PAGE_BYTES, (end - first) * PAGE_BYTES);
    at += target.length;
  }
  instance.takeUp(guest.registers);
}

/** Whether a value from a worker is a guest that fits into memory of `memoryBytes`, and whose bytes are as many as its pages, and no more than `maximum`. */
export function isParkedGuest(value: unknown, maximum: number): value is ParkedGuest {
  if (typeof value !== "object" || value === null) return false;
  const { runs, contents, memoryBytes, ...numbers } = value as Partial<Record<keyof ParkedGuest, unknown>>;
  if (!(runs instanceof Uint32Array) || !(runs.buffer instanceof ArrayBuffer) || runs.length % 2 !== 0) return false;
  if (!(contents instanceof Uint8Array) || contents.length > maximum || !isWhole(memoryBytes) || memoryBytes > 2 ** 32) return false;
  // Each run has a page at least: a list of millions would hold the host's thread.
  if (runs.length * (PAGE_BYTES / 2) > contents.length) return false;
  let last = 0;
  let length = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const [first, end] = [runs[index] ?? 0, runs[index + 1] ?? 0];
    if (first < last || end <= first || end * PAGE_BYTES > memoryBytes) return false;
    length += Math.min(end * PAGE_BYTES + OVERHANG_BYTES, memoryBytes) - first * PAGE_BYTES;
    last = end;
  }
  const { usedBytes, usedStackBytes, fuelSpent, registers } = numbers;
  return length === contents.length && [usedBytes, usedStackBytes ?? 0, fuelSpent].every(isAmount) && isRegisters(registers);
}

function isRegisters(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { stackPointer, fuel, memoryExhausted } = value as Partial<Record<keyof Registers, unknown>>;
  if (!isWhole(stackPointer) || typeof memoryExhausted !== "boolean" || typeof fuel !== "object" || fuel === null) return false;
  const { before, left } = fuel as Partial<Record<keyof Registers["fuel"], unknown>>;
  return isAmount(before) && Number.isInteger(left);
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** A mark stands for its page and for what a store at the page's end reaches of the next one. */
function bytesOf(first: number, end: number, bytes: Uint8Array): Uint8Array {
  return bytes.subarray(first * PAGE_BYTES, end * PAGE_BYTES + OVERHANG_BYTES);
}
