/** The embedding program's say in every call (SPEC D2). */

import type { ToolCall, ToolResult } from "../call/call.ts";
import { deniedByHook, type ToolErrorData } from "../call/errors.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** Functions of the embedding program. They see the call as the door sent it: its arguments are not checked yet. */
export interface Hooks {
  /** Before any gate. `false` or a reason refuses the call; so does throwing. */
  readonly onToolCall?: (call: ToolCall) => HookAnswer | Promise<HookAnswer>;
  /** After all gates, just before the tool runs. Throwing refuses the call. */
  readonly onToolStart?: (call: ToolCall, tool: RegisteredTool) => void | Promise<void>;
  /** Once for every call, whatever came of it. */
  readonly onToolEnd?: (call: ToolCall, result: ToolResult) => void | Promise<void>;
}

/** `false` or a reason refuses the call; everything else lets it go on. */
export type HookAnswer = boolean | { readonly refuse: string } | undefined | void;

/** The hooks as dispatch uses them: they answer with data and never throw. Undefined where there is no hook to wait for. */
export interface HookGates {
  called(call: ToolCall): Promise<ToolErrorData | undefined> | undefined;
  started(call: ToolCall, tool: RegisteredTool): Promise<ToolErrorData | undefined> | undefined;
  ended(call: ToolCall, result: ToolResult): Promise<void> | undefined;
}

export function createHookGates(
  hooks: Hooks,
  onDefect: (message: string, error: unknown, fields: { readonly callId: string }) => void,
): HookGates {
  async function called(call: ToolCall): Promise<ToolErrorData | undefined> {
    try {
      const answer = await hooks.onToolCall?.(call);
      if (answer === false) return deniedByHook(call.tool, undefined);
      return typeof answer === "object" ? deniedByHook(call.tool, answer.refuse) : undefined;
    } catch (error) {
      onDefect("The onToolCall hook threw", error, { callId: call.callId });
      return deniedByHook(call.tool, undefined);
    }
  }

  async function started(call: ToolCall, tool: RegisteredTool): Promise<ToolErrorData | undefined> {
    try {
      await hooks.onToolStart?.(call, tool);
      return undefined;
    } catch (error) {
      onDefect("The onToolStart hook threw", error, { callId: call.callId });
      return deniedByHook(call.tool, undefined);
    }
  }

  async function ended(call: ToolCall, result: ToolResult): Promise<void> {
    try {
      await hooks.onToolEnd?.(call, result);
    } catch (error) {
      onDefect("The onToolEnd hook threw", error, { callId: call.callId });
    }
  }

  // Most hosts have none, and every call asks.
  return {
    called: (call) => (hooks.onToolCall === undefined ? undefined : called(call)),
    started: (call, tool) => (hooks.onToolStart === undefined ? undefined : started(call, tool)),
    ended: (call, result) => (hooks.onToolEnd === undefined ? undefined : ended(call, result)),
  };
}
