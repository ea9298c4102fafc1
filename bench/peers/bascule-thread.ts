/** A call inside a bascule worker, without the way there: restores the image, calls the export. */

import { loadFresh } from "../fresh.ts";
import { PLUGIN_2KB } from "../plugin-2kb.ts";
import type { Peer } from "./peer.ts";

export const basculeThread: Peer = {
  id: "bascule-thread",
  name: "bascule, inside its worker",
  fresh: "memory image",
  gives: { boundary: "WebAssembly memory", limits: "time, memory, stack", runs: "on the caller's thread (not an interface of its own)" },
  async start() {
    const plugin = await loadFresh(PLUGIN_2KB);
    const call = (tool: string, argsText: string): string => outputOf(plugin.call(tool, JSON.parse(argsText)));
    return {
      warm: call,
      fresh(tool, argsText) {
        plugin.restore();
        return call(tool, argsText);
      },
    };
  },
};

/** The output inside the answer of the guest's entry function (`sandbox/guest/call/protocol.ts`). */
function outputOf(answer: string): string {
  return JSON.stringify((JSON.parse(answer.slice(answer.indexOf("{"))) as { readonly o: unknown }).o);
}
