/** @sebastianwessel/quickjs as documented: `runSandboxed` for each call, on the engine of its documentation. */

import { importPackage, type Peer } from "./peer.ts";
import { expressionOf, SCRIPT } from "./work.ts";

/** The part of the package that is used. */
interface Package {
  loadQuickJs(variant: unknown): Promise<{
    runSandboxed(
      run: (sandbox: { evalCode(code: string): Promise<Answer> }) => Promise<Answer>,
      options: { readonly executionTimeout: number },
    ): Promise<Answer>;
  }>;
}

type Answer = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: { readonly message: string } };

export const sebastianwesselQuickjs: Peer = {
  id: "sebastianwessel-quickjs",
  name: "@sebastianwessel/quickjs",
  fresh: "runtime with its Node modules",
  gives: { boundary: "WebAssembly memory, one for all", limits: "time outside native loops", runs: "on the caller's thread" },
  async start() {
    const { default: variant } = await importPackage<{ readonly default: unknown }>("@jitl/quickjs-ng-wasmfile-release-sync");
    const { loadQuickJs } = await importPackage<Package>("@sebastianwessel/quickjs");
    const { runSandboxed } = await loadQuickJs(variant);
    return {
      async fresh(tool, argsText) {
        const code = `${SCRIPT}\nexport default ${expressionOf(tool, argsText)};`;
        const answer = await runSandboxed(({ evalCode }) => evalCode(code), { executionTimeout: 2_000 });
        if (!answer.ok) throw new Error(answer.error.message);
        return answer.data;
      },
    };
  },
};
