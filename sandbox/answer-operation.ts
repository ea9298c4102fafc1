/** One act of a guest, from its worker's message to the host's handler and back. */

import type { HostAnswer } from "./host-call.ts";
import type { Invocation } from "./invocation.ts";
import { OPERATION_TEXT_BYTES, parseGuestJson } from "./marshal.ts";
import type { SyncAnswer, WorkerMessage } from "./worker/protocol.ts";

/** Where a call runs, as far as answers to its operations go. */
export interface Answering {
  answer(number: number, operation: number, answer: string, bytes?: Uint8Array): void;
  answerSync(answer: SyncAnswer): void;
}

/** A call that asks for operations. */
export interface AskingCall {
  readonly number: number;
  readonly invocation: Invocation;
  /** Where it is now. */
  readonly thread: Answering | undefined;
  effects: number;
  pendingOperations: number;
}

/** Asks the call's own handler, which nothing in the message selects, and brings the answer to the worker that asked. */
export function answerOperation(thread: Answering, job: AskingCall, message: Extract<WorkerMessage, { type: "operation" }>): void {
  const { limits, hostCall } = job.invocation;
  job.effects++;
  const reply = (answer: HostAnswer): void => {
    job.pendingOperations--;
    if (job.thread !== thread) return;
    const text = answer.ok ? `v${JSON.stringify(answer.value)}` : `e${JSON.stringify(answer.error)}`;
    const bytes = answer.ok ? answer.bytes : undefined;
    if (message.operation === 0) thread.answerSync({ number: job.number, answer: text, ...(bytes !== undefined && { bytes }) });
    else thread.answer(job.number, message.operation, text, bytes);
  };
  job.pendingOperations++;
  // The worker keeps these limits too; a worker that does not is not believed.
  const withinLimits =
    job.pendingOperations <= limits.pendingOperations + 1 &&
    job.effects <= limits.operations + limits.logBytes &&
    (message.bytes?.length ?? 0) <= limits.operationBytes;
  const args = withinLimits && message.text.length <= OPERATION_TEXT_BYTES ? parseGuestJson(message.text, limits.jsonDepth) : undefined;
  if (args === undefined)
    return reply({
      ok: false,
      error: { name: "TypeError", message: `Cannot run "${message.name.slice(0, 64)}": its arguments are not JSON within the limits` },
    });
  hostCall({ name: message.name, args, ...(message.bytes === undefined ? {} : { bytes: message.bytes }) }).then(
    reply,
    (defect: unknown) => {
      // A handler answers every input; a rejection is our bug, and the guest learns no more than that it failed.
      reply({ ok: false, error: { name: "Error", message: `${message.name.slice(0, 64)} failed` } });
      job.invocation.onLog(
        "error",
        `Operation "${message.name.slice(0, 64)}" crashed: ${defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)}`,
      );
    },
  );
}
