/** The bridge by which a tool calls other tools that its grant names (SPEC C9). */

import { evaluateAccess, isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { ToolCaller } from "../call/context.ts";
import { largeIn } from "../primitives/json/large.ts";
import { readLarge } from "../primitives/json/read-slices.ts";
import { ToolError } from "../tools/tool-error.ts";
import { type ErrorCode, readErrorCode } from "../call/errors.ts";
import { answer, failure } from "./answer.ts";
import type { Bridge, BridgeContext } from "./bridge.ts";
import { toAct } from "./checked.ts";
import { operation } from "./operation.ts";
import { refusalMessage } from "./refusal.ts";

/** Length of a plugin's and a tool's name, with the dot. */
const MAX_NAME = 128;

export const toolsBridge: Bridge = {
  name: "tools",
  operations: {
    "tools.call": operation({ name: "string", args: "json?" }, async ({ name, args = {} }, context) => {
      if (name.length > MAX_NAME) return failure("TypeError", `The name of a tool has at most ${MAX_NAME} characters`);
      const meant = context.tools?.find(name) ?? name;
      const query = { kind: "tools", name: meant } as const;
      const verdict = evaluateAccess(context.grant.layers, query);
      context.record(toAct("tools", meant, verdict));
      if (verdict.state !== "granted") return failure("NotCapable", refusalMessage(query, name, verdict, context));
      if (context.tools === undefined) return failure("NotSupported", "Tools cannot be called here (nor in a dry run)");
      return answer(await context.tools.call(meant, args));
    }),
    /**
     * The caller's clock stops until this is answered (`sandbox/call/call-operations.ts`), so it waits only while a confirmation is
     * pending.
     */
    "tools.asked": operation({ step: "count" }, async ({ step }, { tools }) => {
      await tools?.asked(step);
      return answer(null);
    }),
    "tools.result": operation({ step: "count" }, async ({ step }, { tools }) => {
      const result = await tools?.result(step);
      return result === undefined ? failure("BadResource", "Tool call not found") : answer(result);
    }),
  },
};

/** Creates the same for host tools: returns the output, or throws a `ToolError` with the step's code. */
export function createToolCaller(context: BridgeContext): ToolCaller {
  return {
    async call(name, args = {}) {
      const handler = toolsBridge.operations["tools.call"];
      const answered = await handler?.({ name, args }, undefined, context);
      if (answered === undefined || !answered.ok)
        throw new ToolError("permission_denied", answered?.error.message ?? "Tools cannot be called here");
      let { value } = answered;
      // The host stops the call's clock itself.
      while (isJsonObject(value) && typeof value["asks"] === "number") {
        await context.tools?.asked(value["asks"]);
        value = (await context.tools?.result(value["asks"])) ?? null;
      }
      const large = typeof value === "object" && value !== null ? largeIn(value, "output") : undefined;
      if (large !== undefined) return await context.platform.slices.run(readLarge(large));
      if (isJsonObject(value) && value["ok"] === true) return value["output"] ?? null;
      const error = isJsonObject(value) && isJsonObject(value["error"]) ? value["error"] : {};
      throw new ToolError(codeOf(error["code"]), typeof error["message"] === "string" ? error["message"] : "The call failed");
    },
  };
}

function codeOf(code: JsonValue | undefined): ErrorCode {
  return (typeof code === "string" ? readErrorCode(code) : undefined) ?? "tool_failed";
}
