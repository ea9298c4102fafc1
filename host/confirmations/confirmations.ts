/** The confirmation gate: asks the caller's person, remembers what `prompt_once` was answered (SPEC E1, E2). */

import type { EmitEvent } from "../audit/events.ts";
import type { AllowDecision, ConfirmationRequest, ToolCall } from "../call.ts";
import { cancelled, confirmationTimeout, type GrantHint, type ToolErrorData, userDenied } from "../errors.ts";
import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import type { Clock } from "../platform/platform.ts";
import { classOf } from "../policy/policy.ts";
import type { Session } from "../session.ts";
import type { RegisteredTool } from "../tool.ts";

/** A call that a person has to agree to, as it will run. */
export interface ConfirmInput {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  readonly args: JsonValue;
  readonly decision: AllowDecision;
}

/** @returns why the call may not run; undefined if the person agreed. */
export type Confirm = (input: ConfirmInput, signal: AbortSignal) => Promise<ToolErrorData | undefined>;

export interface ConfirmationOptions {
  readonly emit: EmitEvent;
  readonly newId: () => string;
  readonly clock: Pick<Clock, "after">;
  /** How long a question stands; read for each question, as the project's configuration can change. */
  readonly timeoutMs: () => number;
  /** Told about prompts that throw. */
  readonly onDefect: (message: string, error: unknown, fields: { readonly callId: string }) => void;
}

type Answer = "allowed" | "denied" | "timeout" | "cancelled";

export function createConfirm(options: ConfirmationOptions): Confirm {
  const answers = createAnswerMemory();
  return async (input, signal) => {
    const { call, tool, decision } = input;
    if (call.confirm === undefined) return userDenied(hintWithoutPerson(tool));
    const ask = (): Promise<Answer> => askPerson(input, signal, options);
    const answer = decision.confirm === "prompt_once" ? await answers.once(call.session, keyOf(tool), ask) : await ask();
    switch (answer) {
      case "allowed":
        return undefined;
      case "denied":
        return userDenied();
      case "timeout":
        return confirmationTimeout(options.timeoutMs());
      case "cancelled":
        return cancelled();
    }
  };
}

/** Publishes the question, waits for the door's person, publishes the answer. */
async function askPerson({ tool, call, args }: ConfirmInput, signal: AbortSignal, options: ConfirmationOptions): Promise<Answer> {
  const request = toRequest(tool, call, args, options.newId());
  const subject = {
    sessionId: call.session.id,
    callId: call.callId,
    ...(call.turnId !== undefined && { turnId: call.turnId }),
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    ...(request.plugin !== undefined && { plugin: request.plugin }),
    ...(request.digest !== undefined && { digest: request.digest }),
  };
  const { requestId, projectedModifications } = request;
  options.emit({
    type: "tool.confirmation_requested",
    ...subject,
    payload: { requestId, tool: tool.qualifiedName, inputSummary: summarize(args), class: request.class, projectedModifications },
  });
  const answer = await waitForAnswer(request, call, signal, options);
  const by = answer === "allowed" || answer === "denied" ? "person" : "host";
  options.emit({ type: "tool.confirmation_resolved", ...subject, payload: { requestId, decision: answer, by } });
  return answer;
}

/** The first of: an answer, the time limit, cancellation. The prompt is told to go away in every case. */
async function waitForAnswer(
  request: ConfirmationRequest,
  call: ToolCall,
  signal: AbortSignal,
  options: ConfirmationOptions,
): Promise<Answer> {
  if (signal.aborted) return "cancelled";
  const over = new AbortController();
  return await new Promise<Answer>((resolve) => {
    const settle = (answer: Answer): void => {
      stopTimer();
      signal.removeEventListener("abort", cancel);
      over.abort();
      resolve(answer);
    };
    const cancel = (): void => settle("cancelled");
    const stopTimer = options.clock.after(options.timeoutMs(), () => settle("timeout"));
    signal.addEventListener("abort", cancel, { once: true });
    void promptSafely(request, call, over.signal, options).then(settle);
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

function toRequest(tool: RegisteredTool, call: ToolCall, args: JsonValue, requestId: string): ConfirmationRequest {
  return Object.freeze({
    requestId,
    callId: call.callId,
    tool: tool.qualifiedName,
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
    ...(tool.binding.kind === "plugin" && { digest: tool.binding.version.digest }),
    args,
    class: classOf(tool),
    destructive: tool.definition.destructive,
    projectedModifications: projectedModifications(tool, args),
  });
}

/** The arguments that the tool declares as files it writes. */
function projectedModifications(tool: RegisteredTool, args: JsonValue): readonly string[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [];
  const members = args as JsonObject; // Array.isArray does not narrow readonly arrays away.
  return tool.definition.requires
    .filter(({ capability }) => capability === "write")
    .flatMap(({ arg }) => [members[arg]].flat().filter((value) => typeof value === "string"));
}

const SUMMARY_LENGTH = 500;

function summarize(args: JsonValue): string {
  const text = JSON.stringify(args);
  return text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH)}…` : text;
}

function hintWithoutPerson(tool: RegisteredTool): GrantHint {
  if (tool.definition.destructive) return { text: "Nobody could be asked: run it on a terminal, since a destructive tool always asks" };
  const setting = JSON.stringify({ confirmation: { perTool: { [tool.qualifiedName]: "auto" } } });
  return { text: `Nobody could be asked: set ${setting} in bascule.json to allow it without asking, or run it on a terminal` };
}

/** Whatever the arguments, but not for another version of the tool. */
function keyOf(tool: RegisteredTool): string {
  return `${tool.qualifiedName} ${tool.binding.kind === "plugin" ? tool.binding.version.digest : tool.id}`;
}

interface AnswerMemory {
  once(session: Session, key: string, ask: () => Promise<Answer>): Promise<Answer>;
}

/** Yes and no are remembered as long as the session lives; while one call asks, others of the same tool wait for its answer. */
function createAnswerMemory(): AnswerMemory {
  const sessions = new WeakMap<Session, Map<string, Promise<Answer>>>();
  return {
    async once(session, key, ask) {
      const answers = sessions.get(session) ?? new Map<string, Promise<Answer>>();
      sessions.set(session, answers);
      for (;;) {
        const pending = answers.get(key);
        if (pending === undefined) break;
        const answer = await pending;
        if (answer === "allowed" || answer === "denied") return answer;
      }
      const asked = ask();
      answers.set(key, asked);
      const answer = await asked;
      // Nobody said anything: the next call asks again.
      if (answer === "timeout" || answer === "cancelled") answers.delete(key);
      return answer;
    },
  };
}
