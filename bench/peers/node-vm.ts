/** `node:vm`: a script compiled once, run in a context. Node's documentation states that it is not a security mechanism. */

import { type Context, createContext, Script } from "node:vm";
import type { Peer } from "./peer.ts";
import { expressionOf, SCRIPT, type ToolName } from "./work.ts";

export const nodeVm: Peer = {
  id: "node-vm",
  name: "`node:vm`",
  fresh: "context",
  gives: { boundary: "none", limits: "time, of code that does not wait", runs: "on the caller's thread" },
  start() {
    const script = new Script(SCRIPT);
    const kept = open();
    return Promise.resolve({
      warm: (tool, argsText) => call(kept, tool, argsText),
      fresh: (tool, argsText) => call(open(), tool, argsText),
    });

    function open(): Context {
      const context = createContext();
      script.runInContext(context);
      return context;
    }
  },
};

function call(context: Context, tool: ToolName, argsText: string): unknown {
  return new Script(expressionOf(tool, argsText)).runInContext(context, { timeout: 2_000 });
}
