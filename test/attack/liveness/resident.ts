/** Resident memory of a process and all that it started, read from outside. */

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const EVERY_MS = 25;
const PAGE_BYTES = 4_096;

export interface MemorySample {
  /** Epoch, milliseconds. */
  readonly at: number;
  readonly bytes: number;
}

export interface MemoryWatch {
  stop(): readonly MemorySample[];
}

/** @param find its number, as soon as there is one */
export function watchMemory(find: () => Promise<number | undefined>): MemoryWatch {
  const samples: MemorySample[] = [];
  let stopped = false;
  void (async () => {
    let pid: number | undefined;
    while (!stopped) {
      pid ??= await find();
      if (pid !== undefined) samples.push({ bytes: residentBytes(pid), at: Date.now() });
      await pause(EVERY_MS);
    }
  })();
  return {
    stop() {
      stopped = true;
      return samples;
    },
  };
}

/** Processes that this one started; none where the system does not say. */
export function childrenOf(pid: number): readonly number[] {
  return readOrNothing(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** 0 where the system does not say, and of a process that has ended. */
function residentBytes(pid: number): number {
  const own = Number(readOrNothing(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * PAGE_BYTES;
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), own);
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
