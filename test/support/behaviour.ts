/** Host tools with the behaviours of the executor suite. */

import type { Behaviour } from "../conformance/executor.ts";
import { ToolFailed } from "../../host/tools/tool-error.ts";
import { toolOutput } from "../../host/call/tool-output.ts";
import type { Tool } from "../../host/tools/tool.ts";

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }));

export function toExecute(behaviour: Behaviour): Tool["execute"] {
  switch (behaviour.does) {
    case "return":
      return () => behaviour.output;
    case "return arguments":
      return (args) => args;
    case "return parts":
      return () => toolOutput(behaviour.parts);
    case "throw":
      return () => {
        throw new Error(behaviour.message);
      };
    case "throw a ToolError":
      return () => {
        throw new ToolFailed(behaviour.message);
      };
    case "wait":
      return (_args, { signal }) => untilAborted(signal);
    case "write":
      return async (_args, { workspace }) => (await workspace.write(behaviour.path, behaviour.text), null);
    case "read":
      return async (_args, { workspace }) => await workspace.read(behaviour.path);
  }
}
