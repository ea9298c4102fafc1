/** The `microvm` route: a reserved name. Policy may name it, so that files written for it can be read (SPEC O4). */

import { unavailable } from "../call/errors.ts";
import { NO_MICROVM } from "../policy/trust.ts";
import type { Executor } from "../tools/execution.ts";

/** Returns an executor that refuses every call and says that the route is missing. */
export function createMicrovmExecutor(): Executor {
  return async ({ tool }) => ({
    ok: false,
    error: unavailable(tool.qualifiedName, NO_MICROVM),
    used: { wallMs: 0 },
    filesModified: [],
  });
}
