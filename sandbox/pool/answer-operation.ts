/**
 * One operation of a guest, from its worker's message to the host's handler and back.
 *
 * Large answers in flight have a budget: an operation whose answer would exceed it waits before anything is read. Answers that a worker
 * does not take delay that call's operations first, then those of its plugin, then those of its worker (SPEC LV1, LV3). Large arguments
 * are read one at a time, in slices if the host supplies a sliced reader.
 */

import { ASKS_PERSON } from "../wire/host-call.ts";
import type { HostAnswer, Room } from "../wire/host-call.ts";
import type { Invocation } from "../wire/invocation.ts";
import { JSON_IN_BYTES, LARGE_BYTES, OPERATION_TEXT_BYTES, parseGuestJson } from "../wire/marshal.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { WorkerMessage } from "../wire/protocol.ts";
import type { Brought } from "../wire/untaken.ts";
import { type Claim, type GiveBack, Shares } from "./shares.ts";

/** The worker or process that receives the answers to a call's operations. */
export interface Answering {
  answer(number: number, operation: number, answer: string, brought?: Brought): void;
  answerSync(number: number, answer: string, brought?: Brought): void;
  /** Reports a message that was ignored. */
  unheard(): void;
}

/** A running call that sends operations. */
export interface AskingCall {
  readonly number: number;
  readonly invocation: Invocation;
  /** The thread that runs the call now. */
  readonly thread: Answering | undefined;
  /** Takes answers even if the call has moved to another thread. Absent: the call stays on the thread that sent the operation. */
  readonly answering?: Pick<Answering, "answer">;
  effects: number;
  /** Number of those effects that are host operations. */
  operations: number;
  pendingOperations: number;
  /** Number of pending operations that wait for a confirmation. */
  asking: number;
}

const MIB = 1024 * 1024;
/** Byte budgets for answers in flight from the host to its guests. An answer larger than a share is sent alone. */
export const ANSWERS_IN_FLIGHT: Readonly<Record<"call" | "callerOfPlugin" | "plugin" | "caller" | "worker" | "whole", number>> =
  Object.freeze({
    call: 16 * MIB,
    callerOfPlugin: 24 * MIB,
    plugin: 32 * MIB,
    caller: 64 * MIB,
    worker: 64 * MIB,
    whole: 128 * MIB,
  });
/** Bytes that a plugin with nothing in flight may always take, even if the whole budget is used. */
const LEAST_OF_A_PLUGIN = MIB;

/** State shared by the operations of one sandbox. */
export interface OperationRoom {
  /** Bytes of answers in flight, by holder. */
  readonly inFlight: Shares;
  /** Lets one large text be read at a time, alternating between plugins. */
  readonly reading: Shares;
  readonly readLarge: ReadLargeJson;
  /** Runs a task on a later turn of the event loop. */
  afterTurn(task: () => void): void;
}

/**
 * Reads JSON text above 64 KB, or its UTF-8. Returns undefined if it is not JSON, nests deeper than `maxDepth`, or has an object with too
 * many members.
 */
export type ReadLargeJson = (text: string | Uint8Array, maxDepth: number) => Promise<JsonValue | undefined>;

/** Reads the text in one go, for a process whose thread has no other work. */
const readWhole: ReadLargeJson = (text, maxDepth) =>
  Promise.resolve(parseGuestJson(typeof text === "string" ? text : new TextDecoder().decode(text), maxDepth));

export function createOperationRoom(
  { after }: { readonly after: (delayMs: number, task: () => void) => unknown },
  readLarge: ReadLargeJson = readWhole,
): OperationRoom {
  return {
    inFlight: new Shares(ANSWERS_IN_FLIGHT.whole, LEAST_OF_A_PLUGIN),
    reading: new Shares(1),
    readLarge,
    afterTurn: (task) => void after(0, task),
  };
}

/** An operation as a worker or a process sends it. Large arguments are UTF-8 bytes. */
export type OperationMessage = Omit<Extract<WorkerMessage, { type: "operation" }>, "text"> & { readonly text: string | Uint8Array };

/** Longer than the name of any operation. */
const NAME_LENGTH = 64;
/** Keep equal to `MAX_MEMBERS` of host/json/read-slices.ts. */
const LIMITS = " (above 64 KB an object has at most 10000 members)";
/** Maximum UTF-8 bytes of one character. */
const UTF8 = 3;

/**
 * Runs the operation with the call's own handler, which no part of the message can select, and sends the answer to the worker that
 * requested it.
 */
export function answerOperation(
  thread: Answering,
  job: AskingCall,
  message: OperationMessage,
  { plugin, room: shared }: { readonly plugin: string; readonly room: OperationRoom },
): void {
  const { limits, hostCall, signal, caller } = job.invocation;
  // Honest workers enforce these limits too. A message above them comes from a compromised worker and gets no answer.
  if (job.operations >= limits.operations || job.pendingOperations > limits.pendingOperations) return thread.unheard();
  job.effects++;
  const place = ++job.operations;
  const asks = message.operation !== 0 && ASKS_PERSON.has(message.name) ? 1 : 0;
  job.asking += asks;
  let held: GiveBack | undefined;
  const within = [
    [job, ANSWERS_IN_FLIGHT.call],
    [`plugin ${plugin}`, ANSWERS_IN_FLIGHT.plugin],
    [thread, ANSWERS_IN_FLIGHT.worker],
    ...(caller === undefined ? [] : callersShares(plugin, caller)),
  ] as const;
  const room: Room = async (size, wanted) => {
    held?.();
    held = await shared.inFlight.take({ size, party: plugin, line: job, within }, wanted);
    return held !== undefined;
  };
  const reply = (answer: HostAnswer): void => {
    job.pendingOperations--;
    job.asking -= asks;
    const { json, bytes = json, moves = json !== undefined, taken: told } = answer.ok ? answer : NO_BYTES;
    let isTaken = false;
    const taken = (): void => {
      held?.();
      if (!isTaken) told?.();
      isTaken = true;
    };
    const answering = message.operation === 0 ? undefined : job.answering;
    const isGone = answering === undefined && job.thread !== thread;
    if (isGone || bytes === undefined) taken();
    if (isGone) return;
    const text = answer.ok ? toText(answer) : `e${JSON.stringify(answer.error)}`;
    const brought = bytes && { bytes, moves, taken };
    if (message.operation === 0) thread.answerSync(job.number, text, brought);
    else (answering ?? thread).answer(job.number, message.operation, text, brought);
  };
  job.pendingOperations++;
  const name = message.name.slice(0, NAME_LENGTH);
  const withinLimits =
    message.name.length <= NAME_LENGTH &&
    message.text.length <= (typeof message.text === "string" ? 1 : UTF8) * OPERATION_TEXT_BYTES &&
    (message.bytes?.length ?? 0) <= limits.operationBytes;
  /**
   * Handles a rejection of the handler or the reader. Neither should reject, so it is a bug of the host; the guest only learns that the
   * operation failed.
   */
  const crashed = (defect: unknown): void => {
    reply(failed("Error", `${name} failed`));
    const why = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
    job.invocation.onLogs([["error", `Operation "${name}" crashed: ${why}`]]);
  };
  const run = (args: JsonValue | undefined): void => {
    if (args === undefined)
      return reply(failed("TypeError", `Cannot run "${name}": its arguments are not JSON within the limits${LIMITS}`));
    hostCall({
      name: message.name,
      args,
      argsLength: message.text.length,
      place,
      room,
      ...(message.bytes === undefined ? {} : { bytes: message.bytes }),
    }).then(reply, crashed);
  };
  if (!withinLimits) return run(undefined);
  const { text } = message;
  const isProgress = name === "progress" || name === "yield";
  const before = isProgress ? PROGRESS.get(job) : undefined;
  if (before === undefined && typeof text === "string" && text.length <= LARGE_BYTES) return run(parseGuestJson(text, limits.jsonDepth));
  const read = async (): Promise<void> => {
    await before;
    if (typeof text === "string" && text.length <= LARGE_BYTES) return run(parseGuestJson(text, limits.jsonDepth));
    // Large texts are read one after the other (sixty of 1 MiB may arrive together), with operations of other calls in between.
    const done = await shared.reading.take({ size: 1, party: plugin, line: job, within: [] }, signal);
    if (done === undefined) return reply(failed("Interrupted", "The call has ended"));
    run(await shared.readLarge(text, limits.jsonDepth).finally(() => shared.afterTurn(done)));
  };
  const reading = read().catch(crashed);
  if (isProgress) keepOrder(job, reading);
}

function callersShares(plugin: string, caller: string): Claim["within"] {
  return [
    [`caller ${caller}`, ANSWERS_IN_FLIGHT.caller],
    [`plugin ${plugin} caller ${caller}`, ANSWERS_IN_FLIGHT.callerOfPlugin],
  ];
}

/** The last progress report of a call that is still being read. Later reports must not overtake it. */
const PROGRESS = new WeakMap<object, Promise<void>>();

function keepOrder(job: AskingCall, reading: Promise<void>): void {
  const last = reading.finally(() => {
    if (PROGRESS.get(job) === last) PROGRESS.delete(job);
  });
  PROGRESS.set(job, last);
}

/** Calls `told` once the handler has received all progress of the call: at once if none is being read. */
export function afterProgress(job: object, told: () => void): void {
  const reading = PROGRESS.get(job);
  if (reading === undefined) return told();
  void reading.finally(told);
}

function toText({ json, value }: Extract<HostAnswer, { ok: true }>): string {
  return json === undefined ? `v${JSON.stringify(value)}` : JSON_IN_BYTES;
}

function failed(name: string, message: string): HostAnswer {
  return { ok: false, error: { name, message } };
}

const NO_BYTES: Partial<Extract<HostAnswer, { ok: true }>> = {};
