/**
 * One act of a guest, from its worker's message to the host's handler and back.
 *
 * Large answers in flight have a budget: an operation whose answer would exceed it waits before anything is read. What a worker does not
 * take holds up its own call first, then its plugin's, then those of its worker (SPEC LV1, LV3).
 */

import { ASKS_PERSON } from "./call-operations.ts";
import type { HostAnswer, Room } from "../host-call.ts";
import type { Invocation } from "../invocation.ts";
import { OPERATION_TEXT_BYTES, parseGuestJson } from "../marshal.ts";
import type { WorkerMessage } from "../worker/protocol.ts";
import type { Brought } from "../worker/untaken.ts";
import { type GiveBack, Shares } from "./shares.ts";

/** Where a call runs, as far as answers to its operations go. */
export interface Answering {
  answer(number: number, operation: number, answer: string, brought?: Brought): void;
  answerSync(number: number, answer: string, brought?: Brought): void;
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

const MIB = 1024 * 1024;
/** Bytes of answers between a host's memory and its guests. One that is larger than a share goes alone. */
export const ANSWERS_IN_FLIGHT: { readonly call: number; readonly plugin: number; readonly worker: number; readonly whole: number } =
  Object.freeze({ call: 16 * MIB, plugin: 32 * MIB, worker: 64 * MIB, whole: 128 * MIB });
/** What a plugin that has none in flight gets, whatever the others have. */
const LEAST_OF_A_PLUGIN = MIB;

/** What the calls of one sandbox share. */
export function createAnswerRoom(): Shares {
  return new Shares(ANSWERS_IN_FLIGHT.whole, LEAST_OF_A_PLUGIN);
}

/** Longer than any operation's. */
const NAME_LENGTH = 64;

/** Asks the call's own handler, which nothing in the message selects, and brings the answer to the worker that asked. */
export function answerOperation(
  thread: Answering,
  job: AskingCall,
  message: Extract<WorkerMessage, { type: "operation" }>,
  { plugin, inFlight }: { readonly plugin: string; readonly inFlight: Shares },
): void {
  const { limits, hostCall } = job.invocation;
  // The worker keeps these limits too; one that does not is not believed, and gets no answers that it need not read.
  if (job.operations >= limits.operations || job.pendingOperations > limits.pendingOperations) return thread.unheard();
  job.effects++;
  job.operations++;
  const asks = message.operation !== 0 && ASKS_PERSON.has(message.name) ? 1 : 0;
  job.asking += asks;
  let held: GiveBack | undefined;
  const within = [
    [job, ANSWERS_IN_FLIGHT.call],
    [`plugin ${plugin}`, ANSWERS_IN_FLIGHT.plugin],
    [thread, ANSWERS_IN_FLIGHT.worker],
  ] as const;
  const room: Room = async (size, signal) => {
    held?.();
    held = await inFlight.take({ size, party: plugin, line: job, within }, signal);
    return held !== undefined;
  };
  const reply = (answer: HostAnswer): void => {
    job.pendingOperations--;
    job.asking -= asks;
    const { bytes, moves = false, taken: told } = answer.ok ? answer : NO_BYTES;
    const taken = (): void => {
      held?.();
      told?.();
    };
    if (job.thread !== thread || bytes === undefined) taken();
    if (job.thread !== thread) return;
    const text = answer.ok ? `v${JSON.stringify(answer.value)}` : `e${JSON.stringify(answer.error)}`;
    const brought = bytes && { bytes, moves, taken };
    if (message.operation === 0) thread.answerSync(job.number, text, brought);
    else thread.answer(job.number, message.operation, text, brought);
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
  hostCall({ name: message.name, args, room, ...(message.bytes === undefined ? {} : { bytes: message.bytes }) }).then(
    reply,
    (defect: unknown) => {
      // A handler answers every input; a rejection is our bug, and the guest learns no more than that it failed.
      reply({ ok: false, error: { name: "Error", message: `${message.name.slice(0, NAME_LENGTH)} failed` } });
      const why = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
      job.invocation.onLogs([["error", `Operation "${message.name.slice(0, NAME_LENGTH)}" crashed: ${why}`]]);
    },
  );
}

const NO_BYTES: Partial<Extract<HostAnswer, { ok: true }>> = {};
