/**
 * Files that whoever started this process left open in it: a program that is started here would have them, too.
 *
 * `/dev/null` takes their place. Deno cannot say that; there the shell closes what it can.
 */

import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";

/** What `spawn` takes. */
export type Stdio = ("pipe" | "ignore" | number)[];

/** Starts a program that has so many pipes and no other open file. */
export function withOnlyPipes<T>(pipes: number, start: (stdio: Stdio) => T): T {
  const nothing = openSync(devNull, "r");
  try {
    const stdio: Stdio = Array.from({ length: pipes }, () => "pipe" as const);
    for (const file of inheritedFiles().filter((inherited) => inherited >= pipes)) {
      while (stdio.length < file) stdio.push("ignore");
      stdio[file] = nothing;
    }
    return start(stdio);
  } finally {
    closeSync(nothing);
  }
}

/** Descriptors that are not closed when a program starts; runtimes mark their own to be. */
function inheritedFiles(): readonly number[] {
  if (process.platform !== "linux" || "Deno" in globalThis) return [];
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((file) => file > STANDARD_ERROR && !isClosedAtStart(file))
    .sort((a, b) => a - b);
}

const STANDARD_ERROR = 2;
/** In octal, as fdinfo writes it (https://man7.org/linux/man-pages/man5/proc_pid_fdinfo.5.html). */
const O_CLOEXEC = 0o2000000;

function isClosedAtStart(file: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    // The one that the folder was read with.
    return true;
  }
}
