/** Measures a host from outside: resident memory and processor time of its process and all descendants. */

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const EVERY_MS = 25;
const PAGE_BYTES = 4_096;
/** Linux reports processor time in hundredths of a second. */
const TICK_MS = 10;

/** A sample. Members are zero if the system does not provide them. */
export interface OutsideSample {
  /** Epoch, milliseconds. */
  readonly at: number;
  readonly residentBytes: number;
  /** Processor time since the start. */
  readonly cpuMs: number;
  /** Processor time of the whole machine, and its idle part. */
  readonly machineMs: number;
  readonly idleMs: number;
}

export interface OutsideWatch {
  stop(): readonly OutsideSample[];
}

/** @param find returns the process id as soon as it is known */
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

/** Returns the children of a process; none if the system does not list them. */
export function childrenOf(pid: number): readonly number[] {
  return readOrNothing(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function useOf(pid: number): Pick<OutsideSample, "residentBytes" | "cpuMs"> {
  const pages = Number(readOrNothing(`/proc/${pid}/statm`).split(" ")[1] ?? 0);
  // proc(5): after the name in parentheses, `utime` and `stime` are the 12th and 13th fields.
  const fields = readOrNothing(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  const own = { residentBytes: pages * PAGE_BYTES, cpuMs: (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS };
  return childrenOf(pid).reduce((sum, child) => {
    const { residentBytes, cpuMs } = useOf(child);
    return { residentBytes: sum.residentBytes + residentBytes, cpuMs: sum.cpuMs + cpuMs };
  }, own);
}

function useOfMachine(): Pick<OutsideSample, "machineMs" | "idleMs"> {
  // proc(5): user, nice, system, idle, iowait, irq, softirq, steal; guest time is included in user.
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
