/** isolated-vm: V8 isolates with a heap limit. Here all calls share one isolate, and a fresh call has its own context. */

import { importPackage, type Peer } from "./peer.ts";
import { expressionOf, SCRIPT } from "./work.ts";

/** The part of the package that is used. */
export interface IsolatedVm {
  readonly default: { readonly Isolate: new (options: { readonly memoryLimit: number }) => Isolate };
}

interface Isolate {
  createContextSync(): Context;
  compileScriptSync(code: string): { runSync(context: Context): unknown; release(): void };
  dispose(): void;
}

interface Context {
  evalSync(code: string, options: { readonly timeout: number }): unknown;
  release(): void;
}

export const ISOLATE_OPTIONS = { memoryLimit: 64 };
export const EVAL_OPTIONS = { timeout: 2_000 };
/** The package requires this option. */
export const FLAGS: readonly string[] = ["--no-node-snapshot"];

export const isolatedVm: Peer = {
  id: "isolated-vm-context",
  name: "isolated-vm, one isolate",
  fresh: "context",
  gives: {
    boundary: "V8 isolate, same process",
    limits: "time; heap roughly, shared by all contexts",
    runs: "on the caller's thread, or its pool",
  },
  flags: FLAGS,
  async start() {
    const { default: ivm } = await importPackage<IsolatedVm>("isolated-vm");
    const isolate = new ivm.Isolate(ISOLATE_OPTIONS);
    const script = isolate.compileScriptSync(SCRIPT);
    const open = (): Context => {
      const context = isolate.createContextSync();
      script.runSync(context);
      return context;
    };
    const kept = open();
    return {
      warm: (tool, argsText) => kept.evalSync(expressionOf(tool, argsText), EVAL_OPTIONS),
      fresh(tool, argsText) {
        const context = open();
        const answer = context.evalSync(expressionOf(tool, argsText), EVAL_OPTIONS);
        context.release();
        return answer;
      },
    };
  },
};
