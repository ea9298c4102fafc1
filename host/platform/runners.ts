/** Runners: programs that speak lines over their standard streams, and this process where it is at the other end of such (SPEC I6). */

import { createClock } from "./clock.ts";
import { createPipeConnection } from "./line-connection.ts";
import { startGroup } from "./process-group.ts";
import type { LineConnection, Runners } from "./platform.ts";
import { ProcessError } from "./process-types.ts";

/** A runner that does not end when its input does is told to, and killed. */
export function createRunners({ killAfterMs = 3_000 }: { readonly killAfterMs?: number } = {}): Runners {
  return {
    async start([file, ...args], { cwd, env }) {
      const { child, exited, stop, letGo } = await startGroup({
        file,
        args,
        cwd,
        env: env ?? ownEnvironment(),
        errors: "inherit",
        killAfterMs,
        after: createClock().after,
      });
      if (child.stdout === null || child.stdin === null) throw new ProcessError("other", "The program has no streams");
      const connection = createPipeConnection(child.stdout, child.stdin);
      void exited.then(letGo);
      return { connection, ended: exited, stop };
    },
    stdio: connectStdio,
  };
}

/** It is over when its input ends; Deno's standard input does not close then, and standard output is not ours to close. */
function connectStdio(): LineConnection {
  const { stdin, stdout } = process;
  const { send, onLine } = createPipeConnection(stdin, stdout);
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  for (const event of ["end", "close"]) stdin.once(event, close);
  void closed.then(() => stdin.destroy());
  return { send, onLine, onClose: (listener) => void closed.then(listener), close };
}

/** A runner is the person's own program, as if they had started it themselves. */
function ownEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
