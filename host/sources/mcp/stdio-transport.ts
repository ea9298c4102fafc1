/** The SDK's transport over a process of the platform: one message a line (SPEC K3). */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject } from "../../../manifests/mod.ts";
import { LARGE_TEXT } from "../../primitives/json/read-slices.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import type { ServerProcess, ServerProcesses, ServerProcessOptions } from "../../platform/processes/server-process-types.ts";
import type { LargeArguments } from "./large-arguments.ts";
import type { LargeResults } from "./large-results.ts";

const BOUNDS = { maxBytes: 4 * LARGE_TEXT, maxDepth: 256 } as const;

/**
 * @param options `shorten` is called with lines above 64 KB, `lengthen` with everything that is sent, `onEnd` once with the way the process
 *   ended and its last output
 */
export function stdioTransport(
  servers: Pick<ServerProcesses, "start">,
  start: Omit<ServerProcessOptions, "onLine" | "onEnd">,
  { shorten, lengthen, onEnd }: Pick<LargeResults, "shorten"> & Pick<LargeArguments, "lengthen"> & Pick<ServerProcessOptions, "onEnd">,
): Transport {
  let running: ServerProcess | undefined;

  function take(line: string | undefined): void {
    const parsed = line === undefined ? undefined : readJsonText(line, BOUNDS);
    // Other lines are ignored: many programs print a greeting on their standard output.
    if (parsed?.ok !== true || !isJsonObject(parsed.value)) return;
    // The SDK validates it.
    transport.onmessage?.(parsed.value as unknown as JSONRPCMessage);
  }

  const transport: Transport = {
    start() {
      running = servers.start({
        ...start,
        onLine: (line) => (line.length <= LARGE_TEXT ? take(line) : shorten(line).then(take)),
        onEnd(how, lastWords) {
          onEnd(how, lastWords);
          transport.onclose?.();
        },
      });
      return Promise.resolve();
    },
    async send(message) {
      const line = await lengthen(JSON.stringify(message));
      if (running?.send(line) !== true) throw new Error("The server has ended, or does not read its input");
    },
    close: async () => await running?.stop(),
  };
  return transport;
}
