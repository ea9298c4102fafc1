/** The `microvm` route: a reserved name. Policy may say it, so that files written for it can be read (SPEC O4). */

import { unavailable } from "../call/errors.ts";
import { NO_MICROVM } from "../policy/trust.ts";
import type { Executor } from "../tools/execution.ts";

/** Answers what is missing, and runs nothing. */
export function createMicrovmExecutor(): Executor {
  return async ({ tool }) => ({
    ok: false,
    error: unavailable(tool.qualifiedName, NO_MICROVM),
    used: { wallMs: 0 },
    filesModified: [],
  });
}
