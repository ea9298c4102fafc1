/** bascule as a program uses it: `host.call` with validation, policy, events and a worker. Every call is fresh. */

import { JsonArgumentText } from "../../host/mod.ts";
import { startEchoHost } from "../echo-host.ts";
import { BASELINE, type Peer } from "./peer.ts";

export const bascule: Peer = {
  id: BASELINE,
  name: "**bascule**, `host.call`",
  fresh: "memory image",
  gives: { boundary: "WebAssembly memory, permissions", limits: "time, memory, stack, host calls, output", runs: "on a thread" },
  async start() {
    const echo = await startEchoHost();
    return {
      async fresh(tool, argsText) {
        const result = await echo.host.call(`echo_${tool}`, new JsonArgumentText(argsText));
        if (!result.ok) throw new Error(result.error.message);
        return result.output;
      },
      close: async () => echo[Symbol.asyncDispose](),
    };
  },
};
