/** Signals a program and whatever it started, where the system has process groups. */

import type { ChildProcess } from "node:child_process";
import { errnoOf } from "../files/file-errors.ts";

/** Programs are started `detached` there: each leads a group of its own. */
export const HAS_GROUPS: boolean = process.platform !== "win32";

/** Nothing happens where nobody is left. */
export function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-pid, signal);
    else child.kill(signal);
  } catch (thrown) {
    if (errnoOf(thrown) !== "ESRCH" && errnoOf(thrown) !== "EPERM") throw thrown;
  }
}
