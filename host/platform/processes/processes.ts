/** Programs as child processes, each in a process group of its own (SPEC G2, T3). */

import type { Readable } from "node:stream";
import { claimOf, Shares } from "../../../sandbox/mod.ts";
import { createClock } from "../threads/clock.ts";
import type { Clock } from "../platform.ts";
import { type ProcessGroup, startGroup } from "./process-group.ts";
import { type OutputStream, type ProcessEnd, ProcessError, type Processes, type ProcessOptions } from "./process-types.ts";

interface ProcessesOptions {
  /** Milliseconds from SIGTERM to SIGKILL. Default 3,000. */
  readonly killAfterMs?: number;
  /** Maximum number of programs at once. Default 32, half of them for one caller. */
  readonly maximum?: number;
  /** Timer for SIGKILL; returns a cancel function. */
  readonly after?: Clock["after"];
}

/** Milliseconds from SIGTERM to SIGKILL (SPEC T3). */
const KILL_AFTER_MS = 3_000;

export function createProcesses({
  killAfterMs = KILL_AFTER_MS,
  maximum = 32,
  after = createClock().after,
}: ProcessesOptions = {}): Processes {
  const running = new Shares(maximum);
  const most = Math.ceil(maximum / 2);
  return {
    async start({ path }, options) {
      const claim = claimOf(options, undefined, { plugin: maximum, caller: most, callerOfPlugin: most });
      const free = running.takeNow(claim);
      if (free === undefined)
        throw new ProcessError("busy", `Cannot run more than ${maximum} programs at once, ${most} of them for one session's owner`);
      try {
        const { args, cwd, env } = options;
        const group = await startGroup({ file: path, args, cwd, env, killAfterMs, after });
        const ended = follow(group, options);
        ended.then(free, free);
        return { ended, stop: group.stop };
      } catch (thrown) {
        free();
        throw thrown;
      }
    },
  };
}

async function follow({ child, exited, kill, letGo }: ProcessGroup, { stdin, onOutput }: ProcessOptions): Promise<ProcessEnd> {
  child.stdin?.end(stdin ?? new Uint8Array());
  const read = Promise.all([readAll("stdout", child.stdout, onOutput), readAll("stderr", child.stderr, onOutput)]);
  // `onOutput` threw, so no reader is left for the program.
  read.catch(kill);
  const end = await exited;
  const close = letGo();
  try {
    await read;
    return end;
  } finally {
    close();
  }
}

/** Reads piece by piece: unread output stays in the pipe, and the program waits. */
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
    // The stream was destroyed because a process outside of the group holds it open. Any other error is a defect of `onOutput`.
    if (isTaking || !stream.destroyed) throw thrown;
  }
}
