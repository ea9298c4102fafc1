/** Fresh state as other hosts make it, against a fresh call; shared by the `naive_*` rows. */

import { getQuickJS, type QuickJSWASMModule } from "quickjs-emscripten";
import { ECHO_ARGS, echoFresh, loadFresh } from "./fresh.ts";
import { againstInUs, type BatchOptions, compareBatches, type Measured, mustBe } from "./measure.ts";

/** The same plugin twice: as a module for bascule; as a script for the other hosts, with an expression for its exports. */
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

/** A quickjs-emscripten runtime with a script loaded. */
export interface NaiveContext extends Disposable {
  /** Evaluates code and returns its value, a text. */
  evaluate(code: string): string;
}

/**
 * The documented way with quickjs-emscripten: one compiled module for all; a runtime with limits, a context with a console and no
 * other API, the plugin's source; all disposed afterwards.
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
