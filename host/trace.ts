/** Follows one call through dispatch: says it was called, and ends it with exactly one terminal event (SPEC AU2). */

import type { DraftOf, EmitEvent, EventSubject, TerminalEventType } from "./audit/events.ts";
import type { AllowDecision, Decision, DecisionSummary, ToolCall, ToolResult } from "./call.ts";
import { ERROR_TABLE } from "./error-table.ts";
import { internal, type ToolErrorData } from "./errors.ts";
import { DEFAULT_LIMITS, type JsonObject, type JsonValue } from "../manifests/mod.ts";
import { JsonArgumentText } from "./arguments.ts";
import { copyJson } from "./json.ts";
import type { OutcomeBase, OutcomeOk } from "./routes/executor.ts";
import type { RegisteredTool } from "./tool.ts";

/** What a trace needs of the host. */
export interface TraceSinks {
  readonly emit: EmitEvent;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Takes secrets and configured fields out of the arguments that results show (SPEC X1, AU4); the bus does it for events. */
  readonly redact: (value: JsonValue) => JsonValue;
  /** Gets what a `crash` must not show. */
  readonly onDefect: (message: string, error: unknown, fields: { readonly callId: string }) => void;
}

/**
 * The record of one call. `complete`, `fail`, `deny`, `invalid` and `crash` end it; only the first of them counts, and
 * all return its result.
 */
export interface Trace {
  found(tool: RegisteredTool): void;
  checked(args: JsonValue): void;
  decided(decision: Decision): void;
  /** Before anything happens. */
  called(decision: AllowDecision): void;
  complete(outcome: OutcomeOk): ToolResult;
  /** `outcome` is what an executor still has to tell about a failed run. */
  fail(error: ToolErrorData, outcome?: OutcomeBase): ToolResult;
  /** A gate refused. */
  deny(error: ToolErrorData): ToolResult;
  /** The arguments are wrong. */
  invalid(error: ToolErrorData): ToolResult;
  /** A defect of ours. */
  crash(defect: unknown): ToolResult;
}

export function openTrace(call: ToolCall, sinks: TraceSinks): Trace {
  const startedMs = sinks.now();
  let tool: RegisteredTool | undefined;
  let checkedArgs: JsonValue | undefined;
  let decision: Decision | undefined;
  let ended: ToolResult | undefined;

  function subject(): EventSubject {
    return {
      sessionId: call.session.id,
      callId: call.callId,
      ...(call.turnId !== undefined && { turnId: call.turnId }),
      ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
      ...ownerOf(tool),
    };
  }

  /** What the result shows: as checked, else as the door sent it. */
  function args(): JsonValue {
    return sinks.redact(checkedArgs === undefined ? showRaw(call.args) : checkedArgs);
  }

  function durationMs(): number {
    return Math.max(0, sinks.now() - startedMs);
  }

  function end(result: ToolResult, draft: TerminalDraft): ToolResult {
    if (ended !== undefined) return ended;
    ended = Object.freeze(result);
    sinks.emit(draft);
    return ended;
  }

  function failure(error: ToolErrorData, outcome?: OutcomeBase): ToolResult {
    return { ...base(outcome), ok: false, status: error.code === "approval_required" ? "pending_approval" : "error", output: null, error };
  }

  function base(outcome?: OutcomeBase): ResultBaseOf {
    return {
      callId: call.callId,
      tool: tool?.qualifiedName ?? call.tool,
      arguments: args(),
      ...ownerOf(tool),
      requiresApproval: decision?.kind === "ask",
      content: outcome?.content ?? [],
      sideEffects: tool?.definition.sideEffects ?? [],
      filesModified: outcome?.filesModified ?? [],
      ...(outcome?.commandExecuted !== undefined && { commandExecuted: outcome.commandExecuted }),
      ...(decision !== undefined && decision.kind !== "deny" && { route: decision.route }),
      durationMs: durationMs(),
      limitsUsed: outcome?.used ?? { wallMs: 0 },
      ...(decision && { decision: summarizeDecision(decision) }),
      metadata: outcome?.metadata ?? {},
    };
  }

  function toolName(): string {
    return tool?.qualifiedName ?? call.tool;
  }

  function fail(error: ToolErrorData, outcome?: OutcomeBase): ToolResult {
    return end(failure(error, outcome), {
      type: "tool.failed",
      ...subject(),
      payload: {
        tool: toolName(),
        code: error.code,
        errorClass: ERROR_TABLE[error.code].errorClass,
        message: error.message,
        durationMs: durationMs(),
        ...decisionOf(decision),
        ...(outcome?.partialOutput !== undefined && { partialOutput: outcome.partialOutput }),
        ...timeoutOf(error),
      },
    });
  }

  return {
    found(found) {
      tool = found;
    },
    checked(checked) {
      checkedArgs = checked;
    },
    decided(made) {
      decision = made;
    },
    called(allowed) {
      sinks.emit({
        type: "tool.called",
        ...subject(),
        payload: {
          tool: toolName(),
          arguments: args(),
          sideEffects: tool?.definition.sideEffects ?? [],
          source: tool?.source ?? "",
          route: allowed.route,
          decision: toJsonObject(summarizeDecision(allowed)),
          caller: call.caller,
        },
      });
    },
    complete(outcome) {
      const { output, used } = outcome;
      return end(
        { ...base(outcome), ok: true, status: "success", output },
        {
          type: "tool.completed",
          ...subject(),
          payload: { tool: toolName(), output, durationMs: durationMs(), decision: {}, limitsUsed: { ...used }, ...decisionOf(decision) },
        },
      );
    },
    fail,
    deny(error) {
      return end(failure(error), {
        type: "tool.denied",
        ...subject(),
        payload: {
          tool: toolName(),
          code: error.code,
          errorClass: ERROR_TABLE[error.code].errorClass,
          message: error.message,
          arguments: args(),
          ...decisionOf(decision),
        },
      });
    },
    invalid(error) {
      const errors = error.details?.["errors"];
      return end(failure(error), {
        type: "tool.input_invalid",
        ...subject(),
        payload: { tool: toolName(), arguments: args(), errors: Array.isArray(errors) ? (errors as readonly JsonValue[]) : [] },
      });
    },
    crash(defect) {
      sinks.onDefect("A call crashed", defect, { callId: call.callId });
      return fail(internal(call.callId));
    },
  };
}

const SHOWN_TEXT = 10_000;

/** Arguments that no gate has accepted yet: cut, or null where they are not even JSON. */
function showRaw(raw: ToolCall["args"]): JsonValue {
  if (raw instanceof JsonArgumentText) return raw.text.slice(0, SHOWN_TEXT);
  const copy = copyJson(raw, { maxBytes: DEFAULT_LIMITS.argumentBytes, maxDepth: DEFAULT_LIMITS.jsonDepth });
  return copy.ok ? copy.value : null;
}

type TerminalDraft = { readonly [T in TerminalEventType]: DraftOf<T> }[TerminalEventType];
type ResultBaseOf = Omit<Extract<ToolResult, { ok: true }>, "ok" | "status" | "output">;

/** The part of a decision that leaves the host. */
function summarizeDecision(decision: Decision): DecisionSummary {
  if (decision.kind === "deny") return { kind: "deny", because: decision.because };
  const grants = decision.grant.layers.map(({ name, permissions }) => ({ layer: name, permissions: permissions.source }));
  return { kind: decision.kind, route: decision.route, limits: decision.limits, grants, because: decision.because };
}

function ownerOf(tool: RegisteredTool | undefined): { readonly plugin?: string; readonly digest?: string } {
  if (tool?.plugin === undefined) return {};
  return { plugin: tool.plugin, ...(tool.binding.kind === "plugin" && { digest: tool.binding.version.digest }) };
}

function decisionOf(decision: Decision | undefined): { readonly decision?: JsonObject } {
  return decision === undefined ? {} : { decision: toJsonObject(summarizeDecision(decision)) };
}

/** A summary holds JSON only; its interfaces just have no index signature. */
function toJsonObject(summary: DecisionSummary): JsonObject {
  return summary as unknown as JsonObject;
}

function timeoutOf(error: ToolErrorData): { readonly timeoutMs?: number } {
  const limitMs = error.code === "timeout" ? error.details?.["limitMs"] : undefined;
  return typeof limitMs === "number" ? { timeoutMs: limitMs } : {};
}
