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

/** A guest at rest without an instance. Nothing in it points anywhere. */
export interface ParkedGuest {
  readonly runs: readonly PageRun[];
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
  const { bytes, usedBytes, usedStackBytes, fuelSpent, registers } = instance;
  const runs = restorer.changed(instance);
  const contents = new Uint8Array(runs.reduce((sum, run) => sum + bytesOf(run, bytes).length, 0));
  let at = 0;
  for (const run of runs) {
    const part = bytesOf(run, bytes);
    contents.set(part, at);
    at += part.length;
  }
  return { runs, contents, memoryBytes: bytes.length, usedBytes, usedStackBytes, fuelSpent, registers };
}

/** Makes an instance hold the guest again. @throws {RangeError} if its memory does not fit */
export function unpark(instance: Instance, image: Image, guest: ParkedGuest, restorer: Restorer): void {
  restorer.restore(instance, image);
  instance.ensureBytes(guest.memoryBytes);
  const { bytes } = instance;
  let at = 0;
  for (const run of guest.runs) {
    const target = bytesOf(run, bytes);
    target.set(guest.contents.subarray(at, at + target.length));
    // Also the overhang: whatever differs from the image has to be marked by its own page or by the one before.
    instance.wrote(run[0] * PAGE_BYTES, (run[1] - run[0]) * PAGE_BYTES);
    at += target.length;
  }
  instance.takeUp(guest.registers);
}

/** A mark stands for its page and for what a store at the page's end reaches of the next one. */
function bytesOf([first, end]: PageRun, bytes: Uint8Array): Uint8Array {
  return bytes.subarray(first * PAGE_BYTES, end * PAGE_BYTES + OVERHANG_BYTES);
}
