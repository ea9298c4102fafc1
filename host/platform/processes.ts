/**
 * Programs as child processes, each in a process group of its own (SPEC G2, T3).
 *
 * A group is ended as a whole: when its program ends, when it is stopped, and when this process ends, however it ends. For the last
 * there is a guard in each group, a shell that waits for the end of a pipe from here. What leaves its group (`setsid`) and outlives
 * its program is out of reach, but holds nothing up.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { createClock } from "./clock.ts";
import { errnoOf } from "./file-errors.ts";
import { withOnlyPipes } from "./inherited-files.ts";
import type { Clock } from "./platform.ts";
import {
  type OutputStream,
  type ProcessEnd,
  ProcessError,
  type Processes,
  type ProcessOptions,
  type RunningProcess,
} from "./process-types.ts";
import type { CheckedProgram } from "./proof.ts";

export interface ProcessesOptions {
  /** From SIGTERM to SIGKILL. Default 3,000. */
  readonly killAfterMs?: number;
  /** Programs at once. Default 32. */
  readonly maximum?: number;
  /** What waits until SIGKILL; returns how to stop waiting. */
  readonly after?: Clock["after"];
}

/** What a program that has ended may have left in a pipe is read for as long. */
const DRAIN_MS = 250;

export function createProcesses({ killAfterMs = 3_000, maximum = 32, after = createClock().after }: ProcessesOptions = {}): Processes {
  let running = 0;
  return {
    async start(program, options) {
      if (running >= maximum) throw new ProcessError("busy", `Cannot run more than ${maximum} programs at once`);
      running += 1;
      try {
        const child = await spawnGroup(program, options);
        const started = follow(child, options, (kill) => after(killAfterMs, kill));
        const free = (): void => void (running -= 1);
        started.ended.then(free, free);
        return started;
      } catch (thrown) {
        running -= 1;
        throw thrown;
      }
    },
  };
}

const HAS_GROUPS = process.platform !== "win32";

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

async function spawnGroup({ path }: CheckedProgram, { args, cwd, env }: ProcessOptions): Promise<ChildProcess> {
  return await new Promise((resolve, reject) => {
    try {
      const child = HAS_GROUPS
        ? withOnlyPipes(4, (stdio) => spawn("/bin/sh", ["-c", GUARDED, path, ...args], { cwd, env, detached: true, stdio }))
        : spawn(path, args, { cwd, env, windowsHide: true, stdio: "pipe" });
      child.once("error", (error) => reject(toProcessError(error)));
      child.once("spawn", () => resolve(child));
    } catch (thrown) {
      // Node refuses some arguments at once.
      reject(toProcessError(thrown));
    }
  });
}

function follow(child: ChildProcess, { stdin, onOutput }: ProcessOptions, later: (kill: () => void) => () => void): RunningProcess {
  let stopTimer: (() => void) | undefined;
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal === null ? { exitCode: code ?? 0 } : { signal }));
  });
  // A broken pipe is a program that does not read: its business.
  for (const stream of child.stdio) stream?.on("error", () => {});
  child.stdin?.end(stdin ?? new Uint8Array());
  const read = Promise.all([readAll("stdout", child.stdout, onOutput), readAll("stderr", child.stderr, onOutput)]);
  // Whoever takes the output failed: nobody is there to run it for.
  read.catch(() => signalGroup(child, "SIGKILL"));

  async function untilGone(): Promise<ProcessEnd> {
    const end = await exited;
    stopTimer?.();
    // What it started goes with it, and so does the guard.
    signalGroup(child, "SIGKILL");
    const giveUp = setTimeout(() => destroyStreams(child), DRAIN_MS);
    try {
      await read;
      return end;
    } finally {
      clearTimeout(giveUp);
      destroyStreams(child);
    }
  }

  return {
    ended: untilGone(),
    stop() {
      if (stopTimer !== undefined || child.exitCode !== null || child.signalCode !== null) return;
      stopTimer = later(() => signalGroup(child, "SIGKILL"));
      signalGroup(child, "SIGTERM");
    },
  };
}

/** Piece by piece: what is not taken stays in the pipe, and its writer waits. */
async function readAll(name: OutputStream, stream: Readable | null, onOutput: ProcessOptions["onOutput"]): Promise<void> {
  if (stream === null) return;
  let isTaking = false;
  try {
    for await (const bytes of stream) {
      isTaking = true;
      onOutput(name, bytes as Uint8Array); // No encoding is set.
      isTaking = false;
    }
  } catch (thrown) {
    // Destroyed because something outside of the group holds it open; anything else is a defect of whoever takes it.
    if (isTaking || !stream.destroyed) throw thrown;
  }
}

function destroyStreams(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-pid, signal);
    else child.kill(signal);
  } catch (thrown) {
    // Nobody is left.
    if (errnoOf(thrown) !== "ESRCH" && errnoOf(thrown) !== "EPERM") throw thrown;
  }
}

function toProcessError(thrown: unknown): unknown {
  const errno = errnoOf(thrown);
  switch (errno) {
    case undefined:
      // A defect of ours.
      return thrown;
    case "ENOENT":
      return new ProcessError("not_found", "The program or its folder is not there");
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
