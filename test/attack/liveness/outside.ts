/** What can be seen of a host from outside: the resident memory and the processor time of its process and all that it started. */

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const EVERY_MS = 25;
const PAGE_BYTES = 4_096;
/** Linux counts in hundredths of a second for programs. */
const TICK_MS = 10;

/** Zeros where the system does not say. */
export interface OutsideSample {
  /** Epoch, milliseconds. */
  readonly at: number;
  readonly residentBytes: number;
  /** Processor time since its start. */
  readonly cpuMs: number;
  /** Processor time of the machine, all of it and what nobody used. */
  readonly machineMs: number;
  readonly idleMs: number;
}

export interface OutsideWatch {
  stop(): readonly OutsideSample[];
}

/** @param find the process's number, as soon as there is one */
export function watchFromOutside(find: () => Promise<number | undefined>): OutsideWatch {
  const samples: OutsideSample[] = [];
  let stopped = false;
  void (async () => {
    let pid: number | undefined;
    while (!stopped) {
      pid ??= await find();
      if (pid !== undefined) samples.push({ at: Date.now(), ...useOf(pid), ...useOfMachine() });
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

function useOf(pid: number): Pick<OutsideSample, "residentBytes" | "cpuMs"> {
  const pages = Number(readOrNothing(`/proc/${pid}/statm`).split(" ")[1] ?? 0);
  // proc(5): after the name, which is in parentheses, `utime` and `stime` are the 12th and 13th.
  const fields = readOrNothing(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  const own = { residentBytes: pages * PAGE_BYTES, cpuMs: (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS };
  return childrenOf(pid).reduce((sum, child) => {
    const { residentBytes, cpuMs } = useOf(child);
    return { residentBytes: sum.residentBytes + residentBytes, cpuMs: sum.cpuMs + cpuMs };
  }, own);
}

function useOfMachine(): Pick<OutsideSample, "machineMs" | "idleMs"> {
  // proc(5): user, nice, system, idle, iowait, irq, softirq, steal; guests are in user.
  const ticks = /^cpu +(.*)$/mu.exec(readOrNothing("/proc/stat"))?.[1]?.split(" ").slice(0, 8).map(Number) ?? [];
  return { machineMs: ticks.reduce((sum, one) => sum + one, 0) * TICK_MS, idleMs: ((ticks[3] ?? 0) + (ticks[4] ?? 0)) * TICK_MS };
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
