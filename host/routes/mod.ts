/** Routes: where a call runs. A new one is its file and its line here; each passes `test/conformance/executor.ts` (SPEC O5). */

import { unavailable } from "../errors.ts";
import type { Executor, Executors } from "./executor.ts";
import { finished } from "./finish.ts";
import type { DryRuns } from "../overlay/dry-runs.ts";
import { createHostExecutor } from "./host.ts";
import { createMicrovmExecutor } from "./microvm.ts";
import { createWasmExecutor, type WasmRouteOptions } from "./wasm.ts";

export type { Execution, Executor, Executors, Outcome } from "./executor.ts";
export { createHostExecutor } from "./host.ts";
export type { RouteOptions } from "./run-record.ts";
export { createWasmExecutor } from "./wasm.ts";

export interface ExecutorsOptions extends WasmRouteOptions {
  readonly dryRuns: Pick<DryRuns, "allow">;
}

/** One executor for every route that policy can name. */
export function createExecutors(options: ExecutorsOptions): Executors {
  const { allow } = options.dryRuns;
  return Object.freeze({
    host: finished(allow(createHostExecutor(options)), options),
    wasm: finished(allow(createWasmExecutor(options)), options),
    remote: allow(createMissing("remote", `"remotes" of bascule.json name no host that this version can forward to`)),
    microvm: allow(createMicrovmExecutor()),
  });
}

/** A route that exists in policy only: says what is missing (SPEC O4). */
function createMissing(route: string, missing: string): Executor {
  return async ({ tool }) => ({
    ok: false,
    error: unavailable(tool.qualifiedName, `its route is "${route}", and ${missing}`),
    used: { wallMs: 0 },
    filesModified: [],
  });
}
