/** Runners: programs that exchange lines over their standard streams. Types only. */

import type { LineConnection } from "../network/socket-types.ts";
import type { ProcessEnd } from "./process-types.ts";

/** Programs that exchange lines over their standard streams. They belong to the user and run with all of the user's rights (SPEC I6). */
export interface Runners {
  /** Starts a runner. @throws {ProcessError} if it cannot start */
  start(
    command: readonly [file: string, ...args: string[]],
    /** `env` is the complete environment. Default: this process's own. */
    options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Runner>;
}

/** A started runner. */
export interface Runner {
  /** Closed when the runner has ended. */
  readonly connection: LineConnection;
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGTERM to the runner and its children, then SIGKILL if they do not end. Idempotent. */
  stop(): void;
}
