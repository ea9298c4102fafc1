/** What a worker says of a call, made into what the host is told: within the call's limits, which no worker is believed to keep. */

import type { Fault } from "../fault.ts";
import type { ValueError } from "../../manifests/mod.ts";
import { LAST_LINE_BYTES, LOG_LINE_BYTES } from "./call-log.ts";
import type { Invocation, InvocationOutcome, LogLine } from "../invocation.ts";
import { LARGE_BYTES, parseGuestJson } from "../marshal.ts";
import type { WorkerMessage } from "../worker/protocol.ts";

/** A call whose lines are counted. */
export interface LoggingCall {
  readonly invocation: Invocation;
  effects: number;
  logBytes: number;
}

/** The output of a call that is done. What is parsed here is at most 64 KB, whatever the worker says. */
export function outcomeOf(
  invocation: Invocation,
  { output: text, parts, problems, used }: Pick<Extract<WorkerMessage, { type: "done" }>, "output" | "parts" | "problems" | "used">,
): InvocationOutcome {
  const { jsonDepth, outputBytes } = invocation.limits;
  const bytes = (parts ?? []).reduce((total, part) => total + part.bytes.length, text.length);
  // What is left of a divided output may be a few bytes longer than it was.
  if (bytes > outputBytes + (parts === undefined ? 0 : LEFT_OVER)) {
    return { ok: false, fault: { kind: "exhausted", limit: "output", allowed: outputBytes }, used };
  }
  const output = text.length > LARGE_BYTES ? undefined : parseGuestJson(text, jsonDepth + 1);
  if (output === undefined) return { ok: false, fault: { kind: "not_json", message: "The output is not JSON" }, used };
  return { ok: true, output, used, ...(parts !== undefined && { parts }), ...(problems !== undefined && { problems: readable(problems) }) };
}

/** `{"o":null}` in place of what crosses as bytes. */
const LEFT_OVER = 64;

/** As many as the checker tells of, at any honest length. */
function readable(problems: readonly ValueError[]): readonly ValueError[] {
  let left = LARGE_BYTES;
  return problems.filter(({ pointer, message, keyword }) => (left -= pointer.length + message.length + keyword.length) >= 0);
}

/** The worker does not know what it was asked for by name. */
export function ownFault({ module, export: name }: Invocation, fault: Fault): Fault {
  return fault.kind === "no_export" ? { ...fault, module, export: name } : fault;
}

/** A listener for defects: if it throws, it is not told of that, and what is under way must not end by it. */
export function withoutThrowing(told: (message: string) => void): (message: string) => void {
  return (message) => {
    try {
      told(message);
    } catch {
      // As above.
    }
  };
}

/** Hands on what is within the call's limit, at the least that it costs. A listener that throws loses its lines, and the call goes on. @returns false once the call has logged more. */
export function deliverLogs(call: LoggingCall, lines: readonly LogLine[], onDefect: (message: string) => void): boolean {
  const maximumBytes = call.invocation.limits.logBytes + LAST_LINE_BYTES;
  const within = lines.findIndex(([, text]) => (call.logBytes += text.length + LOG_LINE_BYTES) > maximumBytes);
  const kept = within === -1 ? lines : lines.slice(0, within);
  if (kept.length > 0) {
    call.effects += kept.length;
    try {
      call.invocation.onLogs(kept);
    } catch (defect) {
      onDefect(`A listener for log lines threw: ${String(defect)}`);
    }
  }
  return within === -1;
}
