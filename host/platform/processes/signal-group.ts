/** Signals a program and its children, on systems with process groups. */

import type { ChildProcess } from "node:child_process";
import { errnoOf } from "../files/file-errors.ts";

/** Whether programs are started `detached`, so that each leads a group of its own. */
export const HAS_GROUPS: boolean = process.platform !== "win32";

/** Sends a signal. Does nothing if the group is gone. */
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
