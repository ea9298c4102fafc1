/**
 * Process groups: a program and all its children, ended together (SPEC T3, T5).
 *
 * A group ends with its program, when it is stopped, and when this process ends in any way. For the last case each group has a guard, a
 * shell that waits for the end of a pipe from this process. A process that leaves its group (`setsid`) and outlives its program is out of
 * reach, but blocks nothing.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { errnoOf } from "../files/file-errors.ts";
import { withOnlyPipes } from "../files/inherited-files.ts";
import type { Clock } from "../platform.ts";
import { type ProcessEnd, ProcessError } from "./process-types.ts";
import { HAS_GROUPS, signalGroup } from "./signal-group.ts";

/** Options of a group. */
interface GroupStart {
  /** A path; a name is looked up in `PATH`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Destination of standard error. Default: a pipe. */
  readonly errors?: "pipe" | "inherit";
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly killAfterMs: number;
  readonly after: Clock["after"];
}

/** A running group. */
export interface ProcessGroup {
  readonly child: ChildProcess;
  /** Resolves when the program itself has ended and its children were killed. Their output may still be in the pipes. */
  readonly exited: Promise<ProcessEnd>;
  /** Sends SIGTERM, then SIGKILL if that does not end the group. Idempotent. */
  stop(): void;
  kill(): void;
  /**
   * Closes the pipes after the remaining output was read, even if other processes hold them open. Returns a function that closes them at
   * once.
   */
  letGo(): () => void;
}

const STANDARD_ERROR = 2;
/** Time to read the remaining output of a program that has ended. */
const DRAIN_MS = 250;

/**
 * Script that starts the guard and becomes the program, which is `$0` with its arguments; the shell interprets none of them. Descriptor 3
 * closes when this process ends. Other open descriptors are closed, and variables that runtimes and the shell add are removed.
 */
const GUARDED = [
  `( ( trap '' HUP INT QUIT TERM; exec </dev/null >/dev/null 2>&1; read -r _ <&3; kill -s KILL -- "-$$" ) & )`,
  "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-",
  "unset PWD OLDPWD SHLVL _ NODE_CHANNEL_FD DENO_EXTRA_STDIO_FDS",
  'exec "$0" "$@"',
].join("\n");

/** Starts a group. @throws {ProcessError} if it cannot start */
export async function startGroup(start: GroupStart): Promise<ProcessGroup> {
  const child = await spawnGroup(start);
  let stopTimer: (() => void) | undefined;
  const kill = (): void => signalGroup(child, "SIGKILL");
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      stopTimer?.();
      // Kills the program's children and the guard.
      kill();
      resolve(signal === null ? { exitCode: code ?? 0 } : { signal });
    });
  });
  // A broken pipe means that the program does not read or write, which is not an error of the host.
  for (const stream of child.stdio) stream?.on("error", () => {});

  return {
    child,
    exited,
    kill,
    stop() {
      if (stopTimer !== undefined || child.exitCode !== null || child.signalCode !== null) return;
      stopTimer = start.after(start.killAfterMs, kill);
      signalGroup(child, "SIGTERM");
    },
    letGo() {
      const close = (): void => {
        for (const stream of child.stdio) stream?.destroy();
      };
      const timer = setTimeout(close, DRAIN_MS);
      return () => {
        clearTimeout(timer);
        close();
      };
    },
  };
}

async function spawnGroup(start: GroupStart): Promise<ChildProcess> {
  return await new Promise((resolve, reject) => {
    try {
      const child = spawnGuarded(start);
      child.once("error", (error) => reject(toProcessError(error)));
      child.once("spawn", () => resolve(child));
    } catch (thrown) {
      // Node throws for some arguments.
      reject(toProcessError(thrown));
    }
  });
}

/**
 * Spawns a program as the leader of a group that contains the guard. @throws {Error} synchronously for some arguments; most failures emit
 * `error`
 */
export function spawnGuarded({ file, args, cwd, env, errors = "pipe" }: Omit<GroupStart, "killAfterMs" | "after">): ChildProcess {
  if (!HAS_GROUPS) return spawn(file, args, { cwd, env, windowsHide: true, stdio: ["pipe", "pipe", errors] });
  return withOnlyPipes(4, (stdio) => {
    if (errors === "inherit") stdio[2] = STANDARD_ERROR;
    return spawn("/bin/sh", ["-c", GUARDED, file, ...args], { cwd, env, detached: true, stdio });
  });
}

function toProcessError(thrown: unknown): unknown {
  const errno = errnoOf(thrown);
  switch (errno) {
    case undefined:
      // A defect in the host.
      return thrown;
    case "ENOENT":
      return new ProcessError("not_found", "Program or working folder not found");
    case "EACCES":
    case "EPERM":
      return new ProcessError("permission_denied", "The system does not permit running the program");
    case "E2BIG":
      return new ProcessError("too_large", "Arguments and environment are larger than the system accepts");
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return new ProcessError("busy", "The system cannot start another process now");
    default:
      return new ProcessError("other", `Cannot start the program (${errno})`);
  }
}
