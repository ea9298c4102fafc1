/** isolated-vm with an isolate for each call: nothing is shared, not even the heap. Its documentation advises against snapshots. */

import { EVAL_OPTIONS, FLAGS, ISOLATE_OPTIONS, type IsolatedVm } from "./isolated-vm.ts";
import { importPackage, type Peer } from "./peer.ts";
import { expressionOf, SCRIPT } from "./work.ts";

export const isolatedVmIsolate: Peer = {
  id: "isolated-vm-isolate",
  name: "isolated-vm, an isolate a call",
  fresh: "isolate",
  gives: { boundary: "V8 isolate, same process", limits: "time; heap roughly", runs: "on the caller's thread, or its pool" },
  flags: FLAGS,
  async start() {
    const { default: ivm } = await importPackage<IsolatedVm>("isolated-vm");
    return {
      fresh(tool, argsText) {
        const isolate = new ivm.Isolate(ISOLATE_OPTIONS);
        const context = isolate.createContextSync();
        isolate.compileScriptSync(SCRIPT).runSync(context);
        const answer = context.evalSync(expressionOf(tool, argsText), EVAL_OPTIONS);
        isolate.dispose();
        return answer;
      },
    };
  },
};
