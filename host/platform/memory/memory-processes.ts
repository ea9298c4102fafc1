/** Programs in memory: functions in place of processes. */

import type { ProcessEnd, Processes, ProcessOptions } from "../processes/process-types.ts";
import { ProcessError } from "../processes/process-types.ts";

/** Inputs and abilities of a program. */
interface MemoryRun extends Pick<ProcessOptions, "args" | "cwd" | "env"> {
  readonly stdin: string;
  readonly write: (text: string, stream?: "stdout" | "stderr") => void;
  /** Fires at SIGTERM. A program that does not end is killed at once, because memory has no time. */
  readonly terminated: AbortSignal;
}

/** Returns the exit code. A promise that never settles runs until it is stopped. */
export type MemoryProgram = (run: MemoryRun) => Promise<number> | number;

/** Creates the processes. @param programs by absolute path */
export function createMemoryProcesses(programs: Readonly<Record<string, MemoryProgram>> = {}, maximum: number = 32): Processes {
  let running = 0;
  return {
    async start({ path }, { args, cwd, env, stdin = new Uint8Array(), onOutput }) {
      const program = Object.hasOwn(programs, path) ? programs[path] : undefined;
      if (program === undefined) throw new ProcessError("not_found", "Program or working folder not found");
      if (running >= maximum) throw new ProcessError("busy", `Cannot run more than ${maximum} programs at once`);
      running += 1;
      const terminated = new AbortController();
      let isOver = false;
      const write: MemoryRun["write"] = (text, stream = "stdout") => {
        if (!isOver) onOutput(stream, new TextEncoder().encode(text));
      };
      const run: MemoryRun = { args, cwd, env, stdin: new TextDecoder().decode(stdin), write, terminated: terminated.signal };
      const stopped = new Promise<ProcessEnd>((resolve) => {
        // A program that ends at the signal counts as ended by itself if its cleanup takes no more than 20 microtasks.
        terminated.signal.addEventListener("abort", () => void settled(20).then(() => resolve({ signal: "SIGKILL" })));
      });
      const byItself = Promise.resolve()
        .then(() => program(run))
        .then((exitCode): ProcessEnd => ({ exitCode }));
      const ended = Promise.race([byItself, stopped]).then((end) => {
        isOver = true;
        running -= 1;
        return end;
      });
      return { ended, stop: () => terminated.abort() };
    },
  };
}

async function settled(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
}
