/** One act of a guest, from its worker's message to the host's handler and back. */

import { ASKS_PERSON } from "./call-operations.ts";
import type { HostAnswer } from "../host-call.ts";
import type { Invocation } from "../invocation.ts";
import { OPERATION_TEXT_BYTES, parseGuestJson } from "../marshal.ts";
import type { SyncAnswer, WorkerMessage } from "../worker/protocol.ts";

/** Where a call runs, as far as answers to its operations go. */
export interface Answering {
  answer(number: number, operation: number, answer: string, bytes?: Uint8Array): void;
  answerSync(answer: SyncAnswer): void;
  /** Says of a message that nothing is done for it. */
  unheard(): void;
}

/** A call that asks for operations. */
export interface AskingCall {
  readonly number: number;
  readonly invocation: Invocation;
  /** Where it is now. */
  readonly thread: Answering | undefined;
  effects: number;
  /** Of the effects, those that are host operations. */
  operations: number;
  pendingOperations: number;
  /** Of these, those that wait for a person. */
  asking: number;
}

/** Longer than any operation's. */
const NAME_LENGTH = 64;

/** Asks the call's own handler, which nothing in the message selects, and brings the answer to the worker that asked. */
export function answerOperation(thread: Answering, job: AskingCall, message: Extract<WorkerMessage, { type: "operation" }>): void {
  const { limits, hostCall } = job.invocation;
  // The worker keeps these limits too; one that does not is not believed, and gets no answers that it need not read.
  if (job.operations >= limits.operations || job.pendingOperations > limits.pendingOperations) return thread.unheard();
  job.effects++;
  job.operations++;
  const asks = message.operation !== 0 && ASKS_PERSON.has(message.name) ? 1 : 0;
  job.asking += asks;
  const reply = (answer: HostAnswer): void => {
    job.pendingOperations--;
    job.asking -= asks;
    if (job.thread !== thread) return;
    const text = answer.ok ? `v${JSON.stringify(answer.value)}` : `e${JSON.stringify(answer.error)}`;
    const bytes = answer.ok ? answer.bytes : undefined;
    if (message.operation === 0) thread.answerSync({ number: job.number, answer: text, ...(bytes !== undefined && { bytes }) });
    else thread.answer(job.number, message.operation, text, bytes);
  };
  job.pendingOperations++;
  const withinLimits =
    message.name.length <= NAME_LENGTH &&
    message.text.length <= OPERATION_TEXT_BYTES &&
    (message.bytes?.length ?? 0) <= limits.operationBytes;
  const args = withinLimits ? parseGuestJson(message.text, limits.jsonDepth) : undefined;
  if (args === undefined)
    return reply({
      ok: false,
      error: {
        name: "TypeError",
        message: `Cannot run "${message.name.slice(0, NAME_LENGTH)}": its arguments are not JSON within the limits`,
      },
    });
  hostCall({ name: message.name, args, ...(message.bytes === undefined ? {} : { bytes: message.bytes }) }).then(
    reply,
    (defect: unknown) => {
      // A handler answers every input; a rejection is our bug, and the guest learns no more than that it failed.
      reply({ ok: false, error: { name: "Error", message: `${message.name.slice(0, NAME_LENGTH)} failed` } });
      const why = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
      job.invocation.onLogs([["error", `Operation "${message.name.slice(0, NAME_LENGTH)}" crashed: ${why}`]]);
    },
  );
}
