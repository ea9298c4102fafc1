/** What a worker says of a call, made into what the host is told: within the call's limits, which no worker is believed to keep. */

import type { Fault } from "../fault.ts";
import type { Invocation, InvocationOutcome } from "../invocation.ts";
import { parseGuestJson } from "../marshal.ts";
import type { LogLine, WorkerMessage } from "../worker/protocol.ts";

/** A call whose lines are counted. */
export interface LoggingCall {
  readonly invocation: Invocation;
  effects: number;
  logBytes: number;
}

/** The output of a call that is done. */
export function outcomeOf(
  invocation: Invocation,
  { output: text, used }: Pick<Extract<WorkerMessage, { type: "done" }>, "output" | "used">,
): InvocationOutcome {
  const { jsonDepth, outputBytes } = invocation.limits;
  if (text.length > outputBytes) return { ok: false, fault: { kind: "exhausted", limit: "output", allowed: outputBytes }, used };
  const output = parseGuestJson(text, jsonDepth + 1);
  if (output === undefined) return { ok: false, fault: { kind: "not_json", message: "The output is not JSON" }, used };
  return { ok: true, output, used };
}

/** The worker does not know what it was asked for by name. */
export function ownFault({ module, export: name }: Invocation, fault: Fault): Fault {
  return fault.kind === "no_export" ? { ...fault, module, export: name } : fault;
}

/** @returns false once the call has logged more than it may. */
export function deliverLogs(call: LoggingCall, lines: readonly LogLine[]): boolean {
  for (const [level, text] of lines) {
    call.effects++;
    call.logBytes += text.length + 1;
    if (call.logBytes > call.invocation.limits.logBytes) return false;
    call.invocation.onLog(level, text);
  }
  return true;
}
