/** The calls of a host, from its events. Pure: no editor, no host. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";

/** `unfinished`: the journal has no end of it, because it still runs or its host was ended. */
export type CallState = "running" | "waiting" | "unfinished" | "done" | "failed" | "denied";

/** A call of any client. */
export interface CallItem {
  readonly callId: string;
  readonly tool: string;
  readonly plugin?: string;
  readonly state: CallState;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs?: number;
  /** Code and text of an error. */
  readonly error?: string;
  readonly arguments?: JsonValue;
  readonly dryRun?: true;
}

/** Maximum calls that are shown. */
const MAX_CALLS = 200;

const ENDS: Readonly<Record<string, CallState>> = {
  "tool.completed": "done",
  "tool.failed": "failed",
  "tool.input_invalid": "failed",
  "tool.denied": "denied",
};

/**
 * Returns the calls after an event, the newest first.
 *
 * @param isPast whether the event was read from the journal
 */
export function withEvent(calls: readonly CallItem[], event: JsonObject, isPast: boolean): readonly CallItem[] {
  const { type, callId, plugin, time } = event;
  if (typeof type !== "string" || typeof callId !== "string") return calls;
  const payload = isJsonObject(event["payload"] ?? null) ? (event["payload"] as JsonObject) : {};
  const state = ENDS[type] ?? openState(type, payload, isPast);
  if (state === undefined) return calls;
  const known = calls.find((call) => call.callId === callId);
  const { tool, durationMs, code, message, dryRun } = payload;
  const call: CallItem = {
    ...{ callId, tool: typeof tool === "string" ? tool : "", startedAt: typeof time === "number" ? time : 0 },
    ...(typeof plugin === "string" && { plugin }),
    ...(dryRun === true && { dryRun }),
    ...(payload["arguments"] !== undefined && { arguments: payload["arguments"] }),
    ...known,
    state: code === "user_denied" ? "denied" : state,
    ...(typeof durationMs === "number" && { durationMs }),
    ...(typeof message === "string" && { error: typeof code === "string" ? `${code}: ${message}` : message }),
    ...(type === "tool.input_invalid" && { error: "invalid_args: its arguments do not fit its schema" }),
  };
  if (known !== undefined) return calls.map((one) => (one === known ? call : one));
  return [call, ...calls].slice(0, MAX_CALLS);
}

function openState(type: string, { decision }: JsonObject, isPast: boolean): CallState | undefined {
  if (type === "tool.called") return isPast ? "unfinished" : "running";
  if (type === "tool.confirmation_requested") return isPast ? "unfinished" : "waiting";
  return type === "tool.confirmation_resolved" && decision === "allowed" && !isPast ? "running" : undefined;
}
