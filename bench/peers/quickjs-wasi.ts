/** quickjs-wasi: a snapshot of a VM with the plugin, restored into a WebAssembly instance of its own for each call. */

import { readFile } from "node:fs/promises";
import { importPackage, type Peer } from "./peer.ts";
import { expressionOf, SCRIPT } from "./work.ts";

/** The part of the package that is used. */
interface QuickJsWasi {
  readonly QuickJS: {
    create(options: Options): Promise<Vm>;
    restore(snapshot: object, options: Options): Promise<Vm>;
  };
}

interface Options {
  readonly wasm: WebAssembly.Module;
  readonly memoryLimit: number;
}

interface Vm extends Disposable {
  evalCode(code: string): Disposable & { toString(): string };
  snapshot(): object;
}

export const quickjsWasi: Peer = {
  id: "quickjs-wasi",
  name: "quickjs-wasi snapshot",
  fresh: "instance from a snapshot",
  gives: { boundary: "WebAssembly memory", limits: "time outside native loops; memory", runs: "on the caller's thread" },
  async start() {
    const { QuickJS } = await importPackage<QuickJsWasi>("quickjs-wasi");
    const bytes = await readFile(new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm")));
    const options = { wasm: await WebAssembly.compile(bytes), memoryLimit: 64 << 20 };
    const kept = await QuickJS.create(options);
    kept.evalCode(SCRIPT)[Symbol.dispose]();
    const snapshot = kept.snapshot();
    return {
      warm: (tool, argsText) => evaluate(kept, expressionOf(tool, argsText)),
      async fresh(tool, argsText) {
        using vm = await QuickJS.restore(snapshot, options);
        return evaluate(vm, expressionOf(tool, argsText));
      },
    };
  },
};

function evaluate(vm: Vm, code: string): string {
  using value = vm.evalCode(code);
  return value.toString();
}
