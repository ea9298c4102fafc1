/** The confirmation gate: asks a person, waits or lets the caller go meanwhile, remembers what `prompt_once` was answered (SPEC E1-E6). */

import type { EmitEvent } from "../audit/events.ts";
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
import type { HashPlatform } from "../primitives/json/json-hash.ts";
import { outlineOf } from "../primitives/json/outline.ts";
import type { Clock } from "../platform/platform.ts";
import type { Session } from "../call/session.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { MAX_REFUSED, QUIET_MS, type Refusals } from "./refusals.ts";
import type { PendingConfirmations } from "./pending.ts";
import { shownRequest, toRequest } from "./request.ts";
import { untilAborted } from "../primitives/until-aborted.ts";

/** A call that a person has to agree to, as it will run. */
export interface ConfirmInput {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  readonly args: JsonValue;
  readonly decision: AllowDecision;
  /** What it will change, where that is known. */
  readonly preview?: DryRunReport;
  /** Lets the caller go: it gets this error now, and the call goes on when a person agrees. Absent where the caller waits. */
  readonly pend?: (error: ToolErrorData) => void;
}

/** @returns why the call may not run; undefined if the person agreed. */
export type Confirm = (input: ConfirmInput, signal: AbortSignal) => Promise<ToolErrorData | undefined>;

export interface ConfirmationOptions {
  readonly emit: EmitEvent;
  readonly newId: () => string;
  readonly clock: Pick<Clock, "after" | "now">;
  /** Hashes large arguments in slices. */
  readonly platform: HashPlatform;
  readonly pending: PendingConfirmations;
  readonly refusals: Refusals;
  /** Whether the tool is still that one, and policy says of it what it said before the person was asked. */
  readonly isUnchanged: (input: ConfirmInput) => boolean;
  /** How long a question stands; read for each question, as the project's configuration can change. */
  readonly timeoutMs: () => number;
  /** Told about prompts that throw. */
  readonly onDefect: (message: string, error: unknown, fields: { readonly callId: string }) => void;
}

/** The outcome of a confirmation. `silenced`: no person was asked, because its asker has asked in vain too often. */
export type Answer = "allowed" | "denied" | "timeout" | "cancelled" | "too_many" | "silenced";

export function createConfirm(options: ConfirmationOptions): Confirm {
  const answers = createAnswerMemory();
  return async (input, signal) => {
    const { call, tool, decision, pend } = input;
    if (call.confirm === undefined && pend === undefined)
      return unconfirmed(call.tool, "and no person can be asked here", hintWithoutPerson(tool));
    const ask = (): Promise<Answer> => askPerson(input, signal, options);
    const isOnce = decision.confirm === "prompt_once";
    const answer = isOnce
      ? await answers.once({ session: call.session, key: keyOf(tool, call), isShared: pend === undefined, signal }, ask)
      : await ask();
    switch (answer) {
      case "allowed":
        // What the person agreed to is what runs, or nothing does (SPEC E3).
        return options.isUnchanged(input)
          ? undefined
          : unavailable(call.tool, "it, or what it may do, changed while the question stood; call it again");
      case "too_many":
        return overloaded(options.pending.list().length);
      case "denied":
        return userDenied();
      case "silenced":
        return unconfirmed(call.tool, SILENCED);
      case "timeout":
        return confirmationTimeout(options.timeoutMs());
      case "cancelled":
        return cancelled();
    }
  };
}

async function askPerson(
  { tool, call, args, decision, preview, pend }: ConfirmInput,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Answer> {
  const request = await toRequest(tool, call, args, {
    requestId: options.newId(),
    platform: options.platform,
    ...(preview && { preview }),
  });
  // What a client wants itself is its own to ask for; what tools want of one another is the outermost one's doing.
  const [asker] = call.chain?.path.map((name) => name.split(".", 1).join()) ?? [];
  const question = {
    ...{ tool, call, summary: summarize(args), isDry: isDryCall(call, decision) },
    ...(pend && { pend }),
    ...(asker !== undefined && { asker }),
  };
  return await putQuestion(request, question, signal, options);
}

/** What a question is about, beside what the person is shown. */
export interface Question extends Pick<ConfirmInput, "tool" | "call" | "pend"> {
  /** In one line, for the record. */
  readonly summary: string;
  /** The call is to run dry. */
  readonly isDry?: boolean;
  /** The plugin or tool whose code asks, where it is not the client itself. */
  readonly asker?: string;
}

/** Publishes a question, waits for its answer, publishes that. */
export async function putQuestion(
  request: ConfirmationRequest,
  { tool, call, summary, isDry = false, pend, asker }: Question,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Answer> {
  if (asker !== undefined && !options.refusals.mayAsk(call.session, asker)) return "silenced";
  const subject = {
    sessionId: call.session.id,
    callId: call.callId,
    ...(call.turnId !== undefined && { turnId: call.turnId }),
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    ...(request.plugin !== undefined && { plugin: request.plugin }),
    ...(request.digest !== undefined && { digest: request.digest }),
  };
  const { requestId } = request;
  const { projectedModifications } = shownRequest(request);
  options.emit({
    type: "tool.confirmation_requested",
    ...subject,
    payload: {
      ...{ requestId, tool: tool.qualifiedName, inputSummary: summary, class: request.class, projectedModifications },
      ...(isDry && { dryRun: true as const }),
    },
  });
  const goOn = call.chain?.standStill?.();
  const answer = await waitForAnswer(request, { call, ...(pend && { pend }), ...(asker !== undefined && { asker }) }, signal, options);
  await goOn?.();
  const by = answer === "allowed" || answer === "denied" ? "person" : "host";
  if (asker !== undefined && (by === "person" || answer === "timeout")) options.refusals.note(call.session, asker, answer === "allowed");
  options.emit({ type: "tool.confirmation_resolved", ...subject, payload: { requestId, decision: answer, by } });
  return answer;
}

/** The first of: an answer from anywhere, the time limit, cancellation. The prompt is told to go away in every case. */
async function waitForAnswer(
  request: ConfirmationRequest,
  { call, pend, asker }: Pick<Question, "call" | "pend" | "asker">,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Answer> {
  if (signal.aborted) return "cancelled";
  const over = new AbortController();
  return await new Promise<Answer>((resolve) => {
    const settle = (answer: Answer): void => {
      withdraw?.();
      stopTimer();
      signal.removeEventListener("abort", cancel);
      over.abort();
      resolve(answer);
    };
    const cancel = (): void => settle("cancelled");
    const timeoutMs = options.timeoutMs();
    const stopTimer = options.clock.after(timeoutMs, () => settle("timeout"));
    const askedAt = options.clock.now();
    const { id: sessionId, owner } = call.session;
    const withdraw = options.pending.open(
      { request, sessionId, ...(owner !== undefined && { owner }), askedAt, expiresAt: askedAt + timeoutMs },
      (approve) => settle(approve ? "allowed" : "denied"),
      asker,
    );
    if (withdraw === undefined) return settle("too_many");
    signal.addEventListener("abort", cancel, { once: true });
    pend?.(approvalRequired(request.tool, request.requestId));
    if (call.confirm !== undefined) void promptSafely(request, call, over.signal, options).then(settle);
  });
}

/** No answer is a timeout: the door's person went away (SPEC E4). */
async function promptSafely(
  request: ConfirmationRequest,
  call: ToolCall,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Answer> {
  try {
    const agreed = await call.confirm?.(request, signal);
    if (agreed === undefined) return "timeout";
    // Only a plain yes is a yes.
    return agreed === true ? "allowed" : "denied";
  } catch (error) {
    options.onDefect("A confirmation prompt threw", error, { callId: call.callId });
    return "denied";
  }
}

const SILENCED = `and none was asked: ${MAX_REFUSED} questions in a row got no yes; in ${QUIET_MS / 60_000} minutes it may ask again`;

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

/** Whatever the arguments, but not for another version of the tool, nor for a tool that calls it in the person's place. */
function keyOf(tool: RegisteredTool, { chain }: ToolCall): string {
  return [tool.qualifiedName, tool.binding.kind === "plugin" ? tool.binding.version.digest : tool.id, ...(chain?.path ?? [])].join(" ");
}

interface RememberedQuestion {
  readonly session: Session;
  readonly key: string;
  /** False for a caller that does not wait: it is told of a question of its own. */
  readonly isShared: boolean;
  /** Of the call: it does not wait for the answer to another's question any longer. */
  readonly signal: AbortSignal;
}

interface SessionAnswers {
  readonly given: Map<string, Answer>;
  readonly asking: Map<string, Promise<Answer>>;
}

interface AnswerMemory {
  once(question: RememberedQuestion, ask: () => Promise<Answer>): Promise<Answer>;
}

/** Yes and no are remembered as long as the session lives; while one call asks, others of the same tool wait for its answer. */
function createAnswerMemory(): AnswerMemory {
  const sessions = new WeakMap<Session, SessionAnswers>();
  return {
    async once({ session, key, isShared, signal }, ask) {
      const memory: SessionAnswers = sessions.get(session) ?? { given: new Map(), asking: new Map() };
      sessions.set(session, memory);
      for (;;) {
        const known = memory.given.get(key);
        if (known !== undefined) return known;
        const asking = isShared ? memory.asking.get(key) : undefined;
        if (asking === undefined) break;
        await untilAborted(asking, signal);
        if (signal.aborted) return "cancelled";
      }
      const asked = ask();
      if (isShared) memory.asking.set(key, asked);
      const answer = await asked;
      if (isShared) memory.asking.delete(key);
      // Where nobody said anything, the next call asks again.
      if (answer === "allowed" || answer === "denied") memory.given.set(key, answer);
      return answer;
    },
  };
}
