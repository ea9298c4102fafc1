/** Runners: programs that exchange lines over their standard streams (SPEC I6). */

import { createClock } from "../threads/clock.ts";
import { createStreamConnection } from "../network/line-connection.ts";
import { startGroup } from "./process-group.ts";
import type { Runners } from "../platform.ts";
import { ProcessError } from "./process-types.ts";

/** Creates the runners. A runner that does not end when its input ends is stopped, then killed. */
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
      const { stdin, stdout } = child;
      const connection = createStreamConnection(stdout, stdin);
      connection.onClose(() => {
        stdin.end();
        stdout.destroy();
      });
      void exited.then(letGo);
      return { connection, ended: exited, stop };
    },
  };
}

/** Returns the environment of this process: a runner is the user's own program, as if started by the user. */
function ownEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
