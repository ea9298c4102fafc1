/**
 * Parking: copies a waiting guest out of its instance so that another call can use the instance, and copies it back to resume. A parked
 * guest consists of the pages changed since its image and the little state outside of memory.
 */

import type { Image } from "../engine/image.ts";
import type { Instance, Registers } from "../engine/instance.ts";
import { PAGE_BYTES } from "../engine/marks.ts";
import type { PageRun } from "./page-runs.ts";
import type { Restorer } from "./restorer.ts";
import { OVERHANG_BYTES } from "../wasm/barrier.ts";

/** When waiting calls are parked: as soon as another call needs the instance, or always at once (for tests). */
export type Parking = "needed" | "always";

/** A guest at rest without an instance. Contains no references. Can be cloned structurally. */
export interface ParkedGuest {
  /** First page and page after the last of each changed run, ascending. */
  readonly runs: Uint32Array;
  /** Bytes of the runs, one after the other, each with its overhang. */
  readonly contents: Uint8Array;
  /** Size of the guest's memory. Pages outside of the runs equal the image. */
  readonly memoryBytes: number;
  /** Bytes taken from the guest's allocator. */
  readonly usedBytes: number;
  readonly usedStackBytes: number | undefined;
  readonly fuelSpent: number;
  readonly registers: Registers;
}

/** Copies a guest out. No guest code may be running in the instance, which may then be restored to any image. */
export function park(instance: Instance, restorer: Restorer): ParkedGuest {
  const runs = restorer.changed(instance);
  return copyOut(instance, runs, new Uint8Array(lengthOf(runs, instance)));
}

/** Like `park`, into memory that `room` provides. Returns undefined if `room` provides none. */
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

/** Restores a parked guest into an instance. @throws {RangeError} if its memory does not fit */
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
    // Marks the overhang too: a byte that differs from the image must be marked by its own page or by the page before.
    instance.wrote(first * PAGE_BYTES, (end - first) * PAGE_BYTES);
    at += target.length;
  }
  instance.takeUp(guest.registers);
}

/**
 * Checks that a value from a worker is a guest that fits into memory of `memoryBytes`, with as many bytes as its pages have, and at most
 * `maximum`.
 */
export function isParkedGuest(value: unknown, maximum: number): value is ParkedGuest {
  if (typeof value !== "object" || value === null) return false;
  const { runs, contents, memoryBytes, ...numbers } = value as Partial<Record<keyof ParkedGuest, unknown>>;
  if (!(runs instanceof Uint32Array) || !(runs.buffer instanceof ArrayBuffer) || runs.length % 2 !== 0) return false;
  if (!(contents instanceof Uint8Array) || contents.length > maximum || !isWhole(memoryBytes) || memoryBytes > 2 ** 32) return false;
  // Each run has at least one page. Without this check, a list of millions of runs would block the host's thread.
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

/** Returns a run's bytes with its overhang. A mark covers its page and the bytes that a store at the page's end reaches of the next one. */
function bytesOf(first: number, end: number, bytes: Uint8Array): Uint8Array {
  return bytes.subarray(first * PAGE_BYTES, end * PAGE_BYTES + OVERHANG_BYTES);
}
