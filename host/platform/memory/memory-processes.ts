/** Programs in memory: functions that stand for them. */

import type { ProcessEnd, Processes, ProcessOptions } from "../processes/process-types.ts";
import { ProcessError } from "../processes/process-types.ts";

/** What a program sees and can do. */
export interface MemoryRun extends Pick<ProcessOptions, "args" | "cwd" | "env"> {
  readonly stdin: string;
  readonly write: (text: string, stream?: "stdout" | "stderr") => void;
  /** Fires at SIGTERM. A program that goes on is killed at once: there is no time in memory. */
  readonly terminated: AbortSignal;
}

/** Its exit code; one that never settles runs until it is stopped. */
export type MemoryProgram = (run: MemoryRun) => Promise<number> | number;

/** @param programs by absolute path */
export function createMemoryProcesses(programs: Readonly<Record<string, MemoryProgram>> = {}, maximum: number = 32): Processes {
  let running = 0;
  return {
    async start({ path }, { args, cwd, env, stdin = new Uint8Array(), onOutput }) {
      const program = Object.hasOwn(programs, path) ? programs[path] : undefined;
      if (program === undefined) throw new ProcessError("not_found", "The program or its folder is not there");
      if (running >= maximum) throw new ProcessError("busy", `Cannot run more than ${maximum} programs at once`);
      running += 1;
      const terminated = new AbortController();
      let isOver = false;
      const write: MemoryRun["write"] = (text, stream = "stdout") => {
        if (!isOver) onOutput(stream, new TextEncoder().encode(text));
      };
      const run: MemoryRun = { args, cwd, env, stdin: new TextDecoder().decode(stdin), write, terminated: terminated.signal };
      const stopped = new Promise<ProcessEnd>((resolve) => {
        // A program that ends at the signal ends by itself, in as many turns as a cleanup may take.
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
