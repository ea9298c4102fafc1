/** quickjs-emscripten as documented (`../naive.ts`): one compiled module, a runtime with limits for each call. */

import { getQuickJS } from "quickjs-emscripten";
import { openNaively } from "../naive.ts";
import type { Peer } from "./peer.ts";
import { expressionOf, SCRIPT } from "./work.ts";

export const quickjsEmscripten: Peer = {
  id: "quickjs-emscripten",
  name: "quickjs-emscripten",
  fresh: "runtime",
  gives: {
    boundary: "WebAssembly memory, one for all",
    limits: "time outside native loops; memory in name",
    runs: "on the caller's thread",
  },
  async start() {
    const quickjs = await getQuickJS();
    const kept = openNaively(quickjs, SCRIPT);
    return {
      warm: (tool, argsText) => kept.evaluate(expressionOf(tool, argsText)),
      fresh(tool, argsText) {
        using opened = openNaively(quickjs, SCRIPT);
        return opened.evaluate(expressionOf(tool, argsText));
      },
    };
  },
};
