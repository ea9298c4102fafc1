/** Follows one call through dispatch: emits that it was called, and ends it with exactly one terminal event (SPEC AU2). */

import type { DraftOf, EventSubject, KeepEvent, LargeNote, TerminalEventType } from "../audit/events.ts";
import type { AllowDecision, Decision, DecisionSummary, ToolCall, ToolResult } from "../call/call.ts";
import { isDryCall, summarizeDecision } from "../call/decision-summary.ts";
import { ERROR_TABLE } from "../call/error-table.ts";
import { internal, type ToolErrorData } from "../call/errors.ts";
import { DEFAULT_LIMITS, type JsonObject, type JsonValue, type Permissions } from "../../manifests/mod.ts";
import { markOf } from "../call/chain.ts";
import { JsonArgumentText } from "../call/argument-text.ts";
import { copyJson } from "../primitives/json/json.ts";
import { holdLarge, type Large } from "../primitives/json/large.ts";
import { withLarge } from "./results/with-large.ts";
import { outlineOf } from "../primitives/json/outline.ts";
import type { OutcomeBase, OutcomeOk } from "../tools/execution.ts";
import type { Session } from "../call/session.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** The parts of the host that a trace uses. */
export interface TraceSinks {
  readonly emit: KeepEvent;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Redacts secrets and configured fields in the arguments of results (SPEC X1, AU4); the bus does it for events. */
  readonly redact: (value: JsonValue) => JsonValue;
  /** Keeps a large output to be read in ranges, in the call's session. @returns its handle; undefined if it is too large to keep. */
  readonly keep: (session: Session, bytes: Uint8Array) => string | undefined;
  /** Receives the defects that `crash` must not show. */
  readonly onDefect: (message: string, error: unknown, fields: { readonly callId: string }) => void;
}

/** Why a call ends without an output. The terminal event follows from the stage and the error's code. */
export interface Refusal {
  /**
   * - `arguments`: the caller's options or arguments are invalid (`tool.input_invalid`).
   * - `gate`: a gate refused the call (`tool.denied` if a permission is missing, else `tool.failed`).
   * - `run`: the call was about to run, or ran (`tool.failed`).
   */
  readonly stage: "arguments" | "gate" | "run";
  readonly error: ToolErrorData;
  /** The executor's report about a failed run. */
  readonly outcome?: OutcomeBase;
  /** Set if the call has not ended: the next host continues it, so it has no terminal event here. */
  readonly isLeft?: true;
}

/** The trace of one call. `complete`, `refuse` and `crash` end it; only the first one has an effect, and all return its result. */
export interface Trace {
  found(tool: RegisteredTool): void;
  /** @param shown the arguments as results show them, if they are above 64 KB */
  checked(args: JsonValue, shown?: Large): void;
  decided(decision: Decision): void;
  /** Emits `tool.called` before the call acts, or `tool.resumed` if it acted in an earlier process. @returns whether the event is durable, if the call has to wait for that */
  called(decision: AllowDecision, isDry: boolean): Promise<boolean> | undefined;
  /** Stops the call's clock during a confirmation, until the returned function is called. */
  asking(): () => void;
  complete(outcome: OutcomeOk): ToolResult;
  refuse(refusal: Refusal): ToolResult;
  /** Returns a pending result for the caller while the call continues. Its event is emitted when the call ends (SPEC AU2, E6). */
  pending(error: ToolErrorData): ToolResult;
  /** Ends a call because of a defect in the host. */
  crash(defect: unknown): ToolResult;
  /** Resolves to whether the terminal event is durable, if the caller has to wait for that. */
  readonly kept: Promise<boolean> | undefined;
}

export function openTrace(call: ToolCall, sinks: TraceSinks): Trace {
  return new CallTrace(call, sinks);
}

class CallTrace implements Trace {
  readonly #call: ToolCall;
  readonly #sinks: TraceSinks;
  readonly #startedMs: number;
  #subject: EventSubject;
  #tool: RegisteredTool | undefined;
  #checkedArgs: JsonValue | undefined;
  #largeArgs: Large | undefined;
  #decision: Decision | undefined;
  #ended: ToolResult | undefined;
  /** Number of open confirmations, the start of the current wait, and the total of earlier waits. */
  #questions = 0;
  #askedMs = 0;
  #thoughtMs = 0;
  kept: Promise<boolean> | undefined;

  constructor(call: ToolCall, sinks: TraceSinks) {
    this.#call = call;
    this.#sinks = sinks;
    this.#startedMs = sinks.now();
    this.#subject = {
      sessionId: call.session.id,
      callId: call.callId,
      ...(call.turnId !== undefined && { turnId: call.turnId }),
      ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
      ...(call.chain && markOf(call.chain)),
    };
  }

  found(tool: RegisteredTool): void {
    this.#tool = tool;
    this.#subject = { ...this.#subject, ...ownerOf(tool) };
  }

  checked(args: JsonValue, shown?: Large): void {
    this.#checkedArgs = args;
    this.#largeArgs = shown;
  }

  decided(decision: Decision): void {
    this.#decision = decision;
  }

  called(decision: AllowDecision, isDry: boolean): Promise<boolean> | undefined {
    if (this.#call.resumed?.frozen !== undefined)
      return this.#sinks.emit({
        ...this.#subject,
        type: "tool.resumed",
        payload: {
          ...{ tool: this.#toolName(), sideEffects: this.#tool?.definition.sideEffects ?? [], route: decision.route },
          decision: toJsonObject(summarizeDecision(decision)),
          ...(decision.mustRecord === true && { required: true as const }),
        },
      });
    return this.#sinks.emit({
      ...this.#subject,
      type: "tool.called",
      payload: {
        tool: this.#toolName(),
        ...this.#argsOfEvent(),
        sideEffects: this.#tool?.definition.sideEffects ?? [],
        source: this.#tool?.source ?? "",
        route: decision.route,
        decision: toJsonObject(summarizeDecision(decision)),
        caller: this.#call.caller,
        ...this.#callGrant(),
        ...(isDry && DRY),
        ...(decision.mustRecord === true && { required: true as const }),
      },
    });
  }

  #callGrant(): { readonly callGrant?: JsonObject } {
    const { callGrant } = this.#call;
    return callGrant === undefined || callGrant.plugin !== this.#tool?.plugin ? {} : { callGrant: toJsonObject(callGrant.permissions) };
  }

  asking(): () => void {
    if (this.#questions++ === 0) this.#askedMs = this.#sinks.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#questions === 0) this.#thoughtMs += this.#sinks.now() - this.#askedMs;
    };
  }

  complete(outcome: OutcomeOk): ToolResult {
    const { output, used, large } = outcome;
    const base = this.#resultBase(outcome);
    const { tool, durationMs } = base;
    const whole = large?.get("output");
    return this.#end(this.#withLarge({ ...base, ok: true, status: "success", output }, large), {
      ...this.#subject,
      type: "tool.completed",
      payload: {
        tool,
        output,
        ...(whole && { large: this.#noteOf(whole) }),
        durationMs,
        decision: {},
        limitsUsed: { ...used },
        ...this.#shownDecision(),
        ...(outcome.dryRun && DRY),
      },
    });
  }

  refuse(refusal: Refusal): ToolResult {
    const { error, outcome } = refusal;
    const result = this.#failure(error, outcome);
    return this.#end(result, { ...this.#subject, ...this.#refusalEvent(refusal, result.durationMs) });
  }

  #refusalEvent({ stage, error, outcome }: Refusal, durationMs: number): RefusalDraft {
    if (stage === "arguments") {
      const errors = error.details?.["errors"];
      const listed = Array.isArray(errors) ? (errors as readonly JsonValue[]) : [];
      return { type: "tool.input_invalid", payload: { tool: this.#toolName(), ...this.#argsOfEvent(), errors: listed, ...this.#dry() } };
    }
    const shown = this.#shownError(error);
    if (stage === "gate" && shown.errorClass === "permission_denied")
      return { type: "tool.denied", payload: { ...shown, ...this.#argsOfEvent(), ...this.#dry() } };
    const partial = outcome?.partialOutput === undefined ? {} : { partialOutput: outcome.partialOutput };
    return { type: "tool.failed", payload: { ...shown, durationMs, ...partial, ...timeoutOf(error), ...this.#dry() } };
  }

  pending(error: ToolErrorData): ToolResult {
    return Object.freeze(this.#failure(error));
  }

  crash(defect: unknown): ToolResult {
    this.#sinks.onDefect("A call crashed", defect, { callId: this.#call.callId });
    return this.refuse({ stage: "run", error: internal(this.#call.callId) });
  }

  #end(result: ToolResult, draft: TerminalDraft): ToolResult {
    if (this.#ended !== undefined) return this.#ended;
    this.#ended = Object.freeze(result);
    this.kept = this.#sinks.emit(draft);
    return this.#ended;
  }

  #failure(error: ToolErrorData, outcome?: OutcomeBase): ToolResult {
    const status = error.code === "approval_required" ? "pending_approval" : "error";
    const partial = outcome?.partialOutput === undefined ? {} : { partialOutput: outcome.partialOutput };
    return this.#withLarge({ ...this.#resultBase(outcome), ok: false, status, output: null, error, ...partial }, outcome?.large);
  }

  #resultBase(outcome?: OutcomeBase): ResultBaseOf {
    const tool = this.#tool;
    const decision = this.#decision;
    return {
      callId: this.#call.callId,
      tool: this.#toolName(),
      arguments: this.#shownArgs(),
      ...ownerOf(tool),
      requiresApproval: decision?.kind === "ask",
      content: outcome?.content ?? [],
      sideEffects: tool?.definition.sideEffects ?? [],
      filesModified: outcome?.filesModified ?? [],
      ...(outcome?.commandExecuted !== undefined && { commandExecuted: outcome.commandExecuted }),
      ...(decision !== undefined && decision.kind !== "deny" && { route: decision.route }),
      durationMs: this.#durationMs(),
      limitsUsed: outcome?.used ?? { wallMs: 0 },
      ...(decision && { decision: summarizeDecision(decision) }),
      ...(this.#call.chain && { chain: markOf(this.#call.chain) }),
      ...(outcome?.steps && { steps: outcome.steps }),
      ...(outcome?.unfinished && { unfinished: outcome.unfinished }),
      ...(outcome?.recording && { recording: outcome.recording }),
      ...(outcome?.dryRun && { dryRun: outcome.dryRun }),
      metadata: outcome?.metadata ?? {},
    };
  }

  /** Returns the milliseconds since the call's arrival, without the wait for confirmations. */
  #durationMs(): number {
    const now = this.#sinks.now();
    return Math.max(0, now - this.#startedMs - this.#thoughtMs - (this.#questions > 0 ? now - this.#askedMs : 0));
  }

  /** Returns the description of an output that events do not carry. */
  #noteOf({ bytes, sha256 }: Large): LargeNote {
    const handle = this.#sinks.keep(this.#call.session, bytes);
    return { bytes: bytes.length, sha256: sha256 ?? "", ...(handle !== undefined && { handle }) };
  }

  #toolName(): string {
    return this.#tool?.qualifiedName ?? this.#call.tool;
  }

  /** Returns the validated arguments, else those of the door; an outline if they are large. */
  #shownArgs(): JsonValue {
    return this.#sinks.redact(outlineOf(this.#checkedArgs === undefined ? showRaw(this.#call.args) : this.#checkedArgs));
  }

  #argsOfEvent(): { readonly arguments: JsonValue; readonly largeArguments?: LargeNote } {
    const { bytes, sha256 = "" } = this.#largeArgs ?? {};
    return { arguments: this.#shownArgs(), ...(bytes && { largeArguments: { bytes: bytes.length, sha256 } }) };
  }

  #withLarge<T extends ToolResult>(result: T, large: OutcomeBase["large"]): T {
    const placed = withLarge(result, large);
    if (this.#largeArgs !== undefined) holdLarge(placed, "arguments", this.#largeArgs);
    return placed;
  }

  /** Returns the common fields of all events of unsuccessful calls. */
  #shownError({ code, message }: ToolErrorData): ShownError {
    const { errorClass } = ERROR_TABLE[code];
    return { tool: this.#toolName(), code, errorClass, message, ...this.#shownDecision() };
  }

  #dry(): { readonly dryRun?: true } {
    return isDryCall(this.#call, this.#decision) ? DRY : {};
  }

  #shownDecision(): { readonly decision?: JsonObject } {
    return this.#decision === undefined ? {} : { decision: toJsonObject(summarizeDecision(this.#decision)) };
  }
}

const DRY = { dryRun: true } as const;

const SHOWN_TEXT = 10_000;

/** Returns arguments that no gate has accepted yet: cut, or null if they are not JSON. */
function showRaw(raw: ToolCall["args"]): JsonValue {
  if (raw instanceof JsonArgumentText) return raw.text.slice(0, SHOWN_TEXT);
  const copy = copyJson(raw, { maxBytes: DEFAULT_LIMITS.argumentBytes, maxDepth: DEFAULT_LIMITS.jsonDepth });
  return copy.ok ? copy.value : null;
}

type TerminalDraft = { readonly [T in TerminalEventType]: DraftOf<T> }[TerminalEventType];
type RefusalDraft = {
  readonly [T in "tool.input_invalid" | "tool.denied" | "tool.failed"]: Pick<DraftOf<T>, "type" | "payload">;
}["tool.input_invalid" | "tool.denied" | "tool.failed"];
type ShownError = Pick<DraftOf<"tool.failed">["payload"], "tool" | "code" | "errorClass" | "message" | "decision">;
type ResultBaseOf = Omit<Extract<ToolResult, { ok: true }>, "ok" | "status" | "output">;

function ownerOf(tool: RegisteredTool | undefined): { readonly plugin?: string; readonly digest?: string } {
  if (tool?.plugin === undefined) return {};
  return { plugin: tool.plugin, ...(tool.binding.kind === "plugin" && { digest: tool.binding.version.digest }) };
}

/** A summary contains only JSON; its interfaces only lack an index signature. */
function toJsonObject(summary: DecisionSummary | Permissions): JsonObject {
  return summary as unknown as JsonObject;
}

function timeoutOf(error: ToolErrorData): { readonly timeoutMs?: number } {
  const limitMs = error.code === "timeout" ? error.details?.["limitMs"] : undefined;
  return typeof limitMs === "number" ? { timeoutMs: limitMs } : {};
}
