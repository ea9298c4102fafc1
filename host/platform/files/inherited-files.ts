/**
 * Files that the parent process left open in this one; without care, a program started here would inherit them.
 *
 * `/dev/null` takes their place. Deno cannot express that; on Deno the shell closes what it can.
 */

import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";

/** The `stdio` option of `spawn`. */
type Stdio = ("pipe" | "ignore" | number)[];

/** Starts a program with the given number of pipes and no other open file. */
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

/** Returns descriptors that a started program would inherit. Runtimes mark their own as close-on-exec. */
function inheritedFiles(): readonly number[] {
  if (process.platform !== "linux" || "Deno" in globalThis) return [];
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((file) => file > STANDARD_ERROR && !isClosedAtStart(file))
    .sort((a, b) => a - b);
}

const STANDARD_ERROR = 2;
/** Octal, as fdinfo writes it (https://man7.org/linux/man-pages/man5/proc_pid_fdinfo.5.html). */
const O_CLOEXEC = 0o2000000;

function isClosedAtStart(file: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    // The descriptor that read the folder is already closed.
    return true;
  }
}
