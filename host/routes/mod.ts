/** Routes: where a call runs. A new route adds a file and a line here, and passes `test/conformance/executor.ts` (SPEC O5). */

import { createFileLimiter } from "../capabilities/mod.ts";
import type { Executors } from "../tools/execution.ts";
import { finished } from "./finish.ts";
import type { DryRuns } from "../effects/overlay/dry-runs.ts";
import { createHostExecutor } from "./host.ts";
import { createMicrovmExecutor } from "./microvm.ts";
import { createRemoteExecutor, type RemoteRouteOptions } from "./remote.ts";
import { createWasmExecutor, type WasmRouteOptions } from "./wasm.ts";

export type { Execution, Executor, Executors, Outcome } from "../tools/execution.ts";
export { createHostExecutor } from "./host.ts";
export type { RouteOptions } from "./route-options.ts";
export { createWasmExecutor } from "./wasm.ts";

type ExecutorsOptions = WasmRouteOptions & RemoteRouteOptions & { readonly dryRuns: Pick<DryRuns, "allow"> };

/** Creates one executor for every route that policy can name. */
export function createExecutors(given: ExecutorsOptions): Executors {
  const { allow } = given.dryRuns;
  const options = { fileLimiter: createFileLimiter(), ...given };
  return Object.freeze({
    host: finished(allow(createHostExecutor(options)), options),
    wasm: finished(allow(createWasmExecutor(options)), options),
    remote: finished(allow(createRemoteExecutor(options)), options),
    microvm: allow(createMicrovmExecutor()),
  });
}
