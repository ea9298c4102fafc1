/** The `microvm` route: a reserved name. Policy may say it, so that files written for it can be read (SPEC O4). */

import { unavailable } from "../errors.ts";
import type { Executor } from "./executor.ts";

/** Answers what is missing, and runs nothing. */
export function createMicrovmExecutor(): Executor {
  return async ({ tool }) => ({
    ok: false,
    error: unavailable(
      tool.qualifiedName,
      'its route is "microvm", whose name is reserved, and this version has no runner of micro virtual machines (set its route to "wasm", and "isolation": "process" for walls of the kernel\'s)',
    ),
    used: { wallMs: 0 },
    filesModified: [],
  });
}
