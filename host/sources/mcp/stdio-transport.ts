/** The SDK's transport over a process of the platform's: one message a line (SPEC K3). */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject } from "../../../manifests/mod.ts";
import { readJsonText } from "../../json/json-text.ts";
import type { ServerProcess, ServerProcesses, ServerProcessOptions } from "../../platform/server-process-types.ts";

const BOUNDS = { maxBytes: 32 * 1024 * 1024, maxDepth: 256 } as const;

/** @param onEnd told once, with how it ended and its last words */
export function stdioTransport(
  servers: Pick<ServerProcesses, "start">,
  start: Omit<ServerProcessOptions, "onLine" | "onEnd">,
  onEnd: (how: string, lastWords: string) => void,
): Transport {
  let running: ServerProcess | undefined;
  const transport: Transport = {
    start() {
      running = servers.start({
        ...start,
        onLine(line) {
          const parsed = readJsonText(line, BOUNDS);
          // What is no message is no reason to end: many programs greet on their standard output.
          if (!parsed.ok || !isJsonObject(parsed.value)) return;
          // The SDK checks its shape.
          transport.onmessage?.(parsed.value as unknown as JSONRPCMessage);
        },
        onEnd(how, lastWords) {
          onEnd(how, lastWords);
          transport.onclose?.();
        },
      });
      return Promise.resolve();
    },
    send(message) {
      if (running?.send(JSON.stringify(message)) === true) return Promise.resolve();
      return Promise.reject(new Error("The server has ended, or does not read what it is sent"));
    },
    close: async () => await running?.stop(),
  };
  return transport;
}
