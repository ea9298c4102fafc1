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

function callNaively(quickjs: QuickJSWASMModule, { script, exports }: NaivePlugin, args: unknown): unknown {
  using opened = openNaively(quickjs, script);
  return JSON.parse(opened.evaluate(`JSON.stringify(${exports}.echo(${JSON.stringify(args)}))`));
}

/** A runtime of quickjs-emscripten's with a script in it. */
export interface NaiveContext extends Disposable {
  /** Gives the text that the code's value is. */
  evaluate(code: string): string;
}

/**
 * The documented way with quickjs-emscripten: one compiled module for all; a runtime with limits, a context with a console
 * and no other API, the plugin's source; everything is disposed of.
 */
export function openNaively(quickjs: QuickJSWASMModule, script: string): NaiveContext {
  const runtime = quickjs.newRuntime({ memoryLimitBytes: 64 << 20, maxStackSizeBytes: 256 << 10 });
  let endBy = Date.now() + BUDGET_MS;
  runtime.setInterruptHandler(() => Date.now() > endBy);
  const context = runtime.newContext();
  const console = context.newObject();
  for (const level of ["log", "info", "warn", "error", "debug"])
    context.newFunction(level, () => context.undefined).consume((write) => context.setProp(console, level, write));
  console.consume((made) => context.setProp(context.global, "console", made));
  context.unwrapResult(context.evalCode(script)).dispose();
  return {
    evaluate(code) {
      endBy = Date.now() + BUDGET_MS;
      return context.unwrapResult(context.evalCode(code)).consume((text) => context.getString(text));
    },
    [Symbol.dispose]() {
      context.dispose();
      runtime.dispose();
    },
  };
}

const BUDGET_MS = 2_000;
