/** The confirmation gate: asks the user, waits or releases the caller meanwhile, and remembers answers of `prompt_once` (SPEC E1-E6). */

import type { EmitEvent, EventSubject } from "../audit/events.ts";
import type { AllowDecision, ConfirmationRequest, ToolCall } from "../call/call.ts";
import { isDryCall } from "../call/decision-summary.ts";
import {
  approvalRequired,
  cancelled,
  confirmationTimeout,
  type GrantHint,
  overloaded,
  type ToolErrorData,
  unavailable,
  unconfirmed,
  userDenied,
} from "../call/errors.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { DryRunReport } from "../call/dry-run-report.ts";
import { defined } from "../primitives/defined.ts";
import type { HashPlatform } from "../primitives/json/json-hash.ts";
import { outlineOf } from "../primitives/json/outline.ts";
import type { Clock } from "../platform/platform.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { type Answer, createAnswerMemory, type Outcome } from "./answer-memory.ts";
import { MAX_REFUSED, QUIET_MS, type Refusals } from "./refusals.ts";
import type { AnswerScope, PendingConfirmation, PendingConfirmations } from "./pending.ts";
import { shownRequest, toRequest } from "./request.ts";
import type { SessionAnswers } from "./session-answers.ts";

/** A call that needs a confirmation, as it will run. */
export interface ConfirmInput {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  readonly args: JsonValue;
  readonly decision: AllowDecision;
  /** Expected changes, if they are known. */
  readonly preview?: DryRunReport;
  /** Releases the caller with this error; the call continues when the user approves it. Absent if the caller waits. */
  readonly pend?: (error: ToolErrorData) => void;
}

/** Resolves to the reason if the call may not run, or to undefined if the user approved it. */
export type Confirm = (input: ConfirmInput, signal: AbortSignal) => Promise<ToolErrorData | undefined>;

/** The confirmation gate of a host. */
export interface ConfirmationGate {
  readonly confirm: Confirm;
  /** Returns whether `confirm` would ask the user now; otherwise it knows the answer already. */
  readonly asks: (input: Omit<ConfirmInput, "preview">) => boolean;
}

export interface ConfirmationOptions {
  readonly emit: EmitEvent;
  readonly newId: () => string;
  readonly clock: Pick<Clock, "after" | "now">;
  /** Hashes large arguments in slices. */
  readonly platform: HashPlatform;
  readonly pending: PendingConfirmations;
  readonly refusals: Refusals;
  /** Answers for whole sessions. */
  readonly answers: SessionAnswers;
  /** Returns whether the tool and its policy decision are the same as before the user was asked. */
  readonly isUnchanged: (input: ConfirmInput) => boolean;
  /** Returns the time limit of a confirmation; called for each one, because the project's configuration can change. */
  readonly timeoutMs: () => number;
  /** Receives errors of throwing prompts. */
  readonly onDefect: (message: string, error: unknown, fields: { readonly callId: string }) => void;
}

export function createConfirm(options: ConfirmationOptions): ConfirmationGate {
  const answers = createAnswerMemory(options.answers);

  function asks({ call, tool, decision, pend }: Omit<ConfirmInput, "preview">): boolean {
    const asker = askerOf(call);
    if (!hasUser({ call, pend }) || (asker !== undefined && !options.refusals.mayAsk(call.session, asker))) return false;
    return !answers.isKnown({ session: call.session, key: keyOf(tool, call) }, decision.confirm === "prompt_once");
  }

  async function confirm(input: ConfirmInput, signal: AbortSignal): Promise<ToolErrorData | undefined> {
    const { call, tool, decision, pend } = input;
    if (!hasUser(input)) return unconfirmed(call.tool, "and no user can be asked here", hintWithoutPerson(tool));
    const ask = (): Promise<Outcome> => askPerson(input, signal, options);
    const question = { session: call.session, key: keyOf(tool, call), isShared: pend === undefined, signal };
    const { answer, reason } = decision.confirm === "prompt_once" ? await answers.once(question, ask) : await answers.each(question, ask);
    switch (answer) {
      case "allowed":
        // The approved call runs unchanged or not at all (SPEC E3).
        return options.isUnchanged(input) ? undefined : unavailable(call.tool, CHANGED);
      case "changed":
        return unavailable(call.tool, CHANGED);
      case "too_many":
        return overloaded(options.pending.list().length);
      case "denied":
        return userDenied(reason);
      case "silenced":
        return unconfirmed(call.tool, SILENCED);
      case "timeout":
        return confirmationTimeout(options.timeoutMs());
      case "cancelled":
        return cancelled();
    }
  }

  return { confirm, asks };
}

function hasUser({ call, pend }: { readonly call: ToolCall; readonly pend?: ConfirmInput["pend"] | undefined }): boolean {
  return call.confirm !== undefined || pend !== undefined;
}

/** Returns the outermost tool of the chain, to which a nested call is attributed; undefined for the client's own calls. */
function askerOf({ chain }: ToolCall): string | undefined {
  const [asker] = chain?.path.map((name) => name.split(".", 1).join()) ?? [];
  return asker;
}

async function askPerson(
  { tool, call, args, decision, preview, pend }: ConfirmInput,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Outcome> {
  const request = await toRequest(tool, call, args, {
    requestId: call.resumed?.request?.requestId ?? options.newId(),
    platform: options.platform,
    ...(preview && { preview }),
  });
  const asker = askerOf(call);
  const question = {
    ...{ tool, call, summary: summarize(args), isDry: isDryCall(call, decision) },
    // A destructive tool always asks (SPEC E1).
    scopes: tool.definition.destructive ? (["once"] as const) : (["once", "session"] as const),
    ...defined({ pend, asker }),
  };
  return await putQuestion(request, question, signal, options);
}

/** Context of a confirmation, beside what the user sees. */
interface Question extends Pick<ConfirmInput, "tool" | "call" | "pend"> {
  /** One line for the journal. */
  readonly summary: string;
  readonly scopes: readonly AnswerScope[];
  /** Whether the call is a dry run. */
  readonly isDry?: boolean;
  /** The plugin or tool whose code asks; absent if the client itself asks. */
  readonly asker?: string;
  /** Receives the confirmation once it is pending. */
  readonly opened?: (pending: PendingConfirmation) => void;
}

/** Emits the request, waits for the answer and emits it. */
export async function putQuestion(
  request: ConfirmationRequest,
  { tool, call, summary, scopes, isDry = false, pend, asker, opened }: Question,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Outcome> {
  if (asker !== undefined && !options.refusals.mayAsk(call.session, asker)) return { answer: "silenced" };
  const subject = {
    sessionId: call.session.id,
    callId: call.callId,
    ...defined({ turnId: call.turnId, traceparent: call.traceparent, plugin: request.plugin, digest: request.digest }),
  };
  const { requestId } = request;
  const resumed = call.resumed?.request?.requestId === requestId ? call.resumed : undefined;
  // The user saw the request that was kept.
  if (resumed !== undefined && resumed.request?.hash !== request.hash) return { answer: "changed" };
  if (resumed?.answer !== undefined) return resolved(request, subject, resumed.answer, { call, asker, options });
  const { projectedModifications } = shownRequest(request);
  if (resumed === undefined)
    options.emit({
      type: "tool.confirmation_requested",
      ...subject,
      payload: {
        ...{ requestId, tool: tool.qualifiedName, inputSummary: summary, class: request.class, projectedModifications },
        ...(isDry && { dryRun: true as const }),
      },
    });
  const goOn = call.chain?.standStill?.();
  const outcome = await waitForAnswer(request, { call, scopes, ...defined({ pend, asker, opened }) }, signal, options);
  await goOn?.();
  return resolved(request, subject, outcome, { call, asker, options });
}

interface Asked {
  readonly call: ToolCall;
  readonly asker: string | undefined;
  readonly options: Pick<ConfirmationOptions, "emit" | "refusals">;
}

/** Emits the outcome of a confirmation, and counts it for its asker. */
function resolved({ requestId }: ConfirmationRequest, subject: EventSubject, outcome: Outcome, { call, asker, options }: Asked): Outcome {
  const { answer, scope, reason } = outcome;
  const by = answer === "allowed" || answer === "denied" ? "person" : "host";
  if (asker !== undefined && (by === "person" || answer === "timeout")) options.refusals.note(call.session, asker, answer === "allowed");
  options.emit({
    type: "tool.confirmation_resolved",
    ...subject,
    payload: { requestId, decision: answer, by, ...defined({ scope, reason }) },
  });
  return outcome;
}

/** Waits for the first of: an answer, the time limit, cancellation. The prompt is aborted in every case. */
async function waitForAnswer(
  request: ConfirmationRequest,
  { call, scopes, pend, asker, opened }: Pick<Question, "call" | "scopes" | "pend" | "asker" | "opened">,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Outcome> {
  if (signal.aborted) return { answer: "cancelled" };
  const over = new AbortController();
  return await new Promise<Outcome>((resolve) => {
    const settle = (answer: Answer, more: Omit<Outcome, "answer"> = {}): void => {
      withdraw?.();
      stopTimer();
      signal.removeEventListener("abort", cancel);
      over.abort();
      resolve({ answer, ...more });
    };
    const cancel = (): void => settle("cancelled");
    const timeoutMs = options.timeoutMs();
    const stopTimer = options.clock.after(timeoutMs, () => settle("timeout"));
    const askedAt = options.clock.now();
    const { id: sessionId, owner } = call.session;
    const pending = { request, scopes, sessionId, ...(owner !== undefined && { owner }), askedAt, expiresAt: askedAt + timeoutMs };
    const withdraw = options.pending.open(
      pending,
      ({ approve, scope, reason }) => settle(approve ? "allowed" : "denied", approve ? defined({ scope }) : defined({ reason })),
      asker,
    );
    if (withdraw === undefined) return settle("too_many");
    signal.addEventListener("abort", cancel, { once: true });
    opened?.(pending);
    pend?.(approvalRequired(request.tool, request.requestId));
    if (call.confirm !== undefined) void promptSafely(request, call, over.signal, options).then((answer) => settle(answer));
  });
}

/** Asks through the caller's prompt. No answer counts as a timeout, because the door's user has left (SPEC E4). */
async function promptSafely(
  request: ConfirmationRequest,
  call: ToolCall,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Answer> {
  try {
    const agreed = await call.confirm?.(request, signal);
    if (agreed === undefined) return "timeout";
    // Only `true` approves the call.
    return agreed === true ? "allowed" : "denied";
  } catch (error) {
    options.onDefect("A confirmation prompt threw", error, { callId: call.callId });
    return "denied";
  }
}

const CHANGED = "the tool or its permissions changed during the confirmation; call it again";
const SILENCED = `but ${MAX_REFUSED} confirmations in a row were not approved; it may ask again in ${QUIET_MS / 60_000} minutes`;

const SUMMARY_LENGTH = 500;

function summarize(args: JsonValue): string {
  const text = JSON.stringify(outlineOf(args));
  return text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH)}…` : text;
}

function hintWithoutPerson(tool: RegisteredTool): GrantHint {
  if (tool.definition.destructive) return { text: "Run it on a terminal: a destructive tool always asks" };
  const setting = JSON.stringify({ confirmation: { perTool: { [tool.qualifiedName]: "auto" } } });
  return { text: `Set ${setting} in bascule.json to allow it without asking, or run it on a terminal` };
}

/** Returns the key of an answer: any arguments, but not another version of the tool, nor another chain of callers. */
function keyOf(tool: RegisteredTool, { chain }: ToolCall): string {
  return [tool.qualifiedName, tool.binding.kind === "plugin" ? tool.binding.version.digest : tool.id, ...(chain?.path ?? [])].join(" ");
}
