/** Routes: where a call runs. A new one is its file and its line here; each passes `test/conformance/executor.ts` (SPEC O5). */

import type { Executors } from "./executor.ts";
import { finished } from "./finish.ts";
import { createHostExecutor } from "./host.ts";
import { createMicrovmExecutor } from "./microvm.ts";
import { createRemoteExecutor, type RemoteRouteOptions } from "./remote.ts";
import { createWasmExecutor, type WasmRouteOptions } from "./wasm.ts";

export type { Execution, Executor, Executors, Outcome } from "./executor.ts";
export { createHostExecutor } from "./host.ts";
export type { RouteOptions } from "./run-record.ts";
export { createWasmExecutor } from "./wasm.ts";

/** One executor for every route that policy can name. */
export function createExecutors(options: WasmRouteOptions & RemoteRouteOptions): Executors {
  return Object.freeze({
    host: finished(createHostExecutor(options), options),
    wasm: finished(createWasmExecutor(options), options),
    remote: finished(createRemoteExecutor(options), options),
    microvm: createMicrovmExecutor(),
  });
}
