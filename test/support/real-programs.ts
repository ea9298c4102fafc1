/** Creates and observes small real programs. */

import { chmod, readFile, writeFile } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Writes an executable shell script. */
export async function script(folder: string, name: string, lines: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Returns true if the process has ended, or is a zombie. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

/** Returns the ids of processes, except zombies, whose command line contains the text. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandLine(pid).includes(text) && !isGone(pid));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // The process has just ended.
    return "";
  }
}

/** Waits until a script has written a number to a file. */
export async function numberIn(path: string): Promise<number> {
  let found = Number.NaN;
  await expect
    .poll(async () => (found = Number((await readFile(path, "utf8").catch(() => "")) || "no")), { timeout: 15_000 })
    .toBeGreaterThan(0);
  return found;
}
