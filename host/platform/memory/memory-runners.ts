/** Runners in memory: functions at the other end of a connection. */

import { createMemoryPair } from "./memory-sockets.ts";
import type { LineConnection, Runners } from "../platform.ts";
import { type ProcessEnd, ProcessError } from "../processes/process-types.ts";

/** Returns the exit code. The runner also ends with its connection. */
export type MemoryRunner = (connection: LineConnection, args: readonly string[]) => Promise<number> | number;

export function createMemoryRunners(runners: Readonly<Record<string, MemoryRunner>> = {}): Runners {
  return {
    async start([file, ...args]) {
      const runner = Object.hasOwn(runners, file) ? runners[file] : undefined;
      if (runner === undefined) throw new ProcessError("not_found", "Program or working folder not found");
      const [near, far] = createMemoryPair();
      const stopped = new Promise<ProcessEnd>((resolve) => far.onClose(() => resolve({ signal: "SIGTERM" })));
      const byItself = Promise.resolve()
        .then(() => runner(far, args))
        .then((exitCode): ProcessEnd => ({ exitCode }));
      const ended = Promise.race([byItself, stopped]);
      void ended.then(() => far.close());
      return { connection: near, ended, stop: () => near.close() };
    },
  };
}
