/**
 * Process groups: a program and whatever it starts, ended as a whole (SPEC T3, T5).
 *
 * A group ends with its program, when it is stopped, and when this process ends, however it ends. For the last there is a guard in
 * each group, a shell that waits for the end of a pipe from here. What leaves its group (`setsid`) and outlives its program is
 * out of reach, but holds nothing up.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { errnoOf } from "../files/file-errors.ts";
import { withOnlyPipes } from "../files/inherited-files.ts";
import type { Clock } from "../platform.ts";
import { type ProcessEnd, ProcessError } from "./process-types.ts";
import { HAS_GROUPS, signalGroup } from "./signal-group.ts";

/** What is started. */
export interface GroupStart {
  /** A path; a name is looked up in `PATH`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where its errors go. Default: a pipe. */
  readonly errors?: "pipe" | "inherit";
  /** How long after SIGTERM it is killed. */
  readonly killAfterMs: number;
  readonly after: Clock["after"];
}

/** A group while it lasts. */
export interface ProcessGroup {
  readonly child: ChildProcess;
  /** When the program itself has ended; whatever it started has been killed then. Pipes may still hold what they wrote. */
  readonly exited: Promise<ProcessEnd>;
  /** SIGTERM, and SIGKILL if that does not end it. Idempotent. */
  stop(): void;
  kill(): void;
  /** Closes the pipes, whoever else holds them open, once what may be left in them has been read; returns how to do so at once. */
  letGo(): () => void;
}

const STANDARD_ERROR = 2;
/** What a program that has ended may have left in a pipe is read for as long. */
const DRAIN_MS = 250;

/**
 * Starts the guard and becomes the program, which is `$0` with its arguments: none of them is read by the shell. Descriptor 3
 * ends with this process; what else was left open here is closed, and what runtimes and the shell add to the environment is taken out.
 */
const GUARDED = [
  `( ( trap '' HUP INT QUIT TERM; exec </dev/null >/dev/null 2>&1; read -r _ <&3; kill -s KILL -- "-$$" ) & )`,
  "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-",
  "unset PWD OLDPWD SHLVL _ NODE_CHANNEL_FD DENO_EXTRA_STDIO_FDS",
  'exec "$0" "$@"',
].join("\n");

/** @throws {ProcessError} if it cannot be started. */
export async function startGroup(start: GroupStart): Promise<ProcessGroup> {
  const child = await spawnGroup(start);
  let stopTimer: (() => void) | undefined;
  const kill = (): void => signalGroup(child, "SIGKILL");
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      stopTimer?.();
      // What it started goes with it, and so does the guard.
      kill();
      resolve(signal === null ? { exitCode: code ?? 0 } : { signal });
    });
  });
  // A broken pipe is a program that does not read or write: its business.
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
      // Node refuses some arguments at once.
      reject(toProcessError(thrown));
    }
  });
}

/** Leads a group of its own, in which the guard is. @throws {Error} for some arguments, at once; for most there is the event `error`. */
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
      // A defect of ours.
      return thrown;
    case "ENOENT":
      return new ProcessError("not_found", "Program or working folder not found");
    case "EACCES":
    case "EPERM":
      return new ProcessError("permission_denied", "The system does not let it run");
    case "E2BIG":
      return new ProcessError("too_large", "The arguments and variables are more than the system hands over");
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return new ProcessError("busy", "The system has no room for another process");
    default:
      return new ProcessError("other", `The program cannot be started (${errno})`);
  }
}
