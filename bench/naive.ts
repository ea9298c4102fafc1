/** What other hosts do for fresh state, against our fresh call; shared by the `naive_*` rows. */

import { getQuickJS, type QuickJSWASMModule } from "quickjs-emscripten";
import { ECHO_ARGS, echoFresh, loadFresh } from "./fresh.ts";
import { againstInUs, type BatchOptions, compareBatches, type Measured, mustBe } from "./measure.ts";

/** The same plugin twice: as a module for ours; as a script for theirs, with an expression for what it exports. */
export interface NaivePlugin {
  readonly module: string;
  readonly script: string;
  readonly exports: string;
}

export async function naiveAgainstFresh(plugin: NaivePlugin, options: BatchOptions): Promise<Measured> {
  const quickjs = await getQuickJS();
  const ours = await loadFresh(plugin.module);
  const times = compareBatches(
    { fresh: () => echoFresh(ours), naive: () => mustBe(callNaively(quickjs, plugin, ECHO_ARGS), ECHO_ARGS) },
    options,
  );
  return againstInUs(times, "naive", "fresh");
}

/**
 * The documented way with quickjs-emscripten: one compiled module for all; each call a runtime with limits, a context with
 * a console and no other API, the plugin's source, arguments and answer as JSON text, everything disposed of.
 */
function callNaively(quickjs: QuickJSWASMModule, { script, exports }: NaivePlugin, args: unknown): unknown {
  const runtime = quickjs.newRuntime({ memoryLimitBytes: 64 << 20, maxStackSizeBytes: 256 << 10 });
  const endBy = Date.now() + 2_000;
  runtime.setInterruptHandler(() => Date.now() > endBy);
  const context = runtime.newContext();
  try {
    const console = context.newObject();
    for (const level of ["log", "info", "warn", "error", "debug"])
      context.newFunction(level, () => context.undefined).consume((write) => context.setProp(console, level, write));
    console.consume((made) => context.setProp(context.global, "console", made));
    context.unwrapResult(context.evalCode(script)).dispose();
    const call = `JSON.stringify(${exports}.echo(${JSON.stringify(args)}))`;
    return JSON.parse(context.unwrapResult(context.evalCode(call)).consume((text) => context.getString(text)));
  } finally {
    context.dispose();
    runtime.dispose();
  }
}
