/** Routes: where a call runs. A new one is its file and its line here; each passes `test/conformance/executor.ts` (SPEC O5). */

import { unavailable } from "../errors.ts";
import type { Executor, Executors } from "./executor.ts";
import { finished } from "./finish.ts";
import { createHostExecutor } from "./host.ts";
import { createMicrovmExecutor } from "./microvm.ts";
import { createWasmExecutor, type WasmRouteOptions } from "./wasm.ts";

export type { Execution, Executor, Executors, Outcome } from "./executor.ts";
export { createHostExecutor } from "./host.ts";
export type { RouteOptions } from "./run-record.ts";
export { createWasmExecutor } from "./wasm.ts";

/** One executor for every route that policy can name. */
export function createExecutors(options: WasmRouteOptions): Executors {
  return Object.freeze({
    host: finished(createHostExecutor(options), options),
    wasm: finished(createWasmExecutor(options), options),
    remote: createMissing("remote", `"remotes" of bascule.json name no host that this version can forward to`),
    microvm: createMicrovmExecutor(),
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
