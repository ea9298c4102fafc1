/** Hooks of the embedding program in every call (SPEC D2). */

import type { ToolCall, ToolResult } from "../call/call.ts";
import { deniedByHook, type ToolErrorData } from "../call/errors.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** Functions of the embedding program. They receive the call as the door sent it, with unvalidated arguments. */
export interface Hooks {
  /** Called before any gate. `false`, a reason or an exception refuses the call. */
  readonly onToolCall?: (call: ToolCall) => HookAnswer | Promise<HookAnswer>;
  /** Called after all gates, directly before the tool runs. An exception refuses the call. */
  readonly onToolStart?: (call: ToolCall, tool: RegisteredTool) => void | Promise<void>;
  /** Called once per call, whatever the outcome. */
  readonly onToolEnd?: (call: ToolCall, result: ToolResult) => void | Promise<void>;
}

/** `false` or a reason refuses the call; any other value lets it continue. */
export type HookAnswer = boolean | { readonly refuse: string } | undefined | void;

/** The hooks as dispatch uses them: they return errors as data and never throw. Undefined if no hook is set. */
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

  // Avoids a promise per call, because most hosts have no hooks.
  return {
    called: (call) => (hooks.onToolCall === undefined ? undefined : called(call)),
    started: (call, tool) => (hooks.onToolStart === undefined ? undefined : started(call, tool)),
    ended: (call, result) => (hooks.onToolEnd === undefined ? undefined : ended(call, result)),
  };
}
