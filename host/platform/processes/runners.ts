/** Runners: programs that speak lines over their standard streams (SPEC I6). */

import { createClock } from "../threads/clock.ts";
import { createStreamConnection } from "../network/line-connection.ts";
import { startGroup } from "./process-group.ts";
import type { Runners } from "../platform.ts";
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

/** A runner is the person's own program, as if they had started it themselves. */
function ownEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
