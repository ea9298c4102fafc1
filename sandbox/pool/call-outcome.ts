/** Turns a worker's messages about a call into its outcome. Enforces the call's limits again, because a worker may be compromised. */

import type { Fault } from "../wire/fault.ts";
import type { ValueError } from "../../manifests/mod.ts";
import { LAST_LINE_BYTES, LOG_LINE_BYTES } from "../wire/log-lines.ts";
import type { Invocation, InvocationOutcome, LogLine } from "../wire/invocation.ts";
import { LARGE_BYTES, parseGuestJson } from "../wire/marshal.ts";
import type { WorkerMessage } from "../wire/protocol.ts";

/** A call with counted log lines. */
export interface LoggingCall {
  readonly invocation: Invocation;
  effects: number;
  logBytes: number;
}

/** Returns the outcome of a finished call. Parses at most 64 KB, even if the worker sends more. */
export function outcomeOf(
  invocation: Invocation,
  { output: text, parts, problems, used }: Pick<Extract<WorkerMessage, { type: "done" }>, "output" | "parts" | "problems" | "used">,
): InvocationOutcome {
  const { jsonDepth, outputBytes } = invocation.limits;
  const bytes = (parts ?? []).reduce((total, part) => total + part.bytes.length, text.length);
  // The rest of a divided output may be a few bytes longer than the original.
  if (bytes > outputBytes + (parts === undefined ? 0 : LEFT_OVER)) {
    return { ok: false, fault: { kind: "exhausted", limit: "output", allowed: outputBytes }, used };
  }
  const output = text.length > LARGE_BYTES ? undefined : parseGuestJson(text, jsonDepth + 1);
  if (output === undefined) return { ok: false, fault: { kind: "not_json", message: "The output is not JSON" }, used };
  return { ok: true, output, used, ...(parts !== undefined && { parts }), ...(problems !== undefined && { problems: readable(problems) }) };
}

/** Size of `{"o":null}`, which replaces the value that crosses as bytes. */
const LEFT_OVER = 64;

/** Keeps all problems that an honest checker reports, and bounds their total length. */
function readable(problems: readonly ValueError[]): readonly ValueError[] {
  let left = LARGE_BYTES;
  return problems.filter(({ pointer, message, keyword }) => (left -= pointer.length + message.length + keyword.length) >= 0);
}

/** Adds the module and export names to a `no_export` fault, because the worker does not know them. */
export function ownFault({ module, export: name }: Invocation, fault: Fault): Fault {
  return fault.kind === "no_export" ? { ...fault, module, export: name } : fault;
}

/** Wraps a defect listener so that its exceptions are ignored and cannot end the work in progress. */
export function withoutThrowing(told: (message: string) => void): (message: string) => void {
  return (message) => {
    try {
      told(message);
    } catch {
      // Ignored, see above.
    }
  };
}

/**
 * Delivers log lines within the call's limit, counted at their minimum cost. If the listener throws, its lines are lost and the call
 * continues. @returns false once the call exceeds its limit
 */
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
