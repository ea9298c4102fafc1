/**
 * One act of a guest, from its worker's message to the host's handler and back.
 *
 * Large answers in flight have a budget: an operation whose answer would exceed it waits before anything is read. What a worker does not
 * take holds up its own call first, then its plugin's, then those of its worker (SPEC LV1, LV3). Large arguments are read one at a time, in
 * slices where the host has them.
 */

import { ASKS_PERSON } from "./call-operations.ts";
import type { HostAnswer, Room } from "../host-call.ts";
import type { Invocation } from "../invocation.ts";
import { JSON_IN_BYTES, LARGE_BYTES, OPERATION_TEXT_BYTES, parseGuestJson } from "../marshal.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { WorkerMessage } from "../worker/protocol.ts";
import type { Brought } from "../worker/untaken.ts";
import { type Claim, type GiveBack, Shares } from "./shares.ts";

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
  /** Takes answers wherever the call is by then. Absent: it stays where it asked. */
  readonly answering?: Pick<Answering, "answer">;
  effects: number;
  /** Of the effects, those that are host operations. */
  operations: number;
  pendingOperations: number;
  /** Of these, those that wait for a person. */
  asking: number;
}

const MIB = 1024 * 1024;
/** Bytes of answers between a host's memory and its guests. One that is larger than a share goes alone. */
export const ANSWERS_IN_FLIGHT: Readonly<Record<"call" | "callerOfPlugin" | "plugin" | "caller" | "worker" | "whole", number>> =
  Object.freeze({
    call: 16 * MIB,
    callerOfPlugin: 24 * MIB,
    plugin: 32 * MIB,
    caller: 64 * MIB,
    worker: 64 * MIB,
    whole: 128 * MIB,
  });
/** What a plugin that has none in flight gets, whatever the others have. */
const LEAST_OF_A_PLUGIN = MIB;

/** What the operations of one sandbox share. */
export interface OperationRoom {
  /** Bytes of answers in flight. */
  readonly inFlight: Shares;
  /** The one large text that is read at a time, plugin by plugin. */
  readonly reading: Shares;
  readonly readLarge: ReadLargeJson;
  /** Calls back once the event loop has had its turn. */
  afterTurn(task: () => void): void;
}

/** Reads JSON text above 64 KB, or its UTF-8; undefined if it is not JSON, nests deeper, or has an object of too many members. */
export type ReadLargeJson = (text: string | Uint8Array, maxDepth: number) => Promise<JsonValue | undefined>;

/** For a process whose thread has nothing else to do. */
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

/** As a worker says it, or a process: where its arguments are large, their text is UTF-8. */
export type OperationMessage = Omit<Extract<WorkerMessage, { type: "operation" }>, "text"> & { readonly text: string | Uint8Array };

/** Longer than any operation's. */
const NAME_LENGTH = 64;
/** `MAX_MEMBERS` of host/primitives/json/read-slices.ts. */
const LIMITS = " (above 64 KB an object has at most 10000 members)";
/** Bytes that one character may take. */
const UTF8 = 3;

/** Asks the call's own handler, which nothing in the message selects, and brings the answer to the worker that asked. */
export function answerOperation(
  thread: Answering,
  job: AskingCall,
  message: OperationMessage,
  { plugin, room: shared }: { readonly plugin: string; readonly room: OperationRoom },
): void {
  const { limits, hostCall, signal, caller } = job.invocation;
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
  /** A handler answers every input, and a reader reads every text; a rejection is our bug, and the guest learns no more than that it failed. */
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
      room,
      ...(message.bytes === undefined ? {} : { bytes: message.bytes }),
    }).then(reply, crashed);
  };
  if (!withinLimits) return run(undefined);
  const { text } = message;
  const isProgress = name === "progress";
  const before = isProgress ? PROGRESS.get(job) : undefined;
  if (before === undefined && typeof text === "string" && text.length <= LARGE_BYTES) return run(parseGuestJson(text, limits.jsonDepth));
  const read = async (): Promise<void> => {
    await before;
    if (typeof text === "string" && text.length <= LARGE_BYTES) return run(parseGuestJson(text, limits.jsonDepth));
    // Sixty texts of 1 MiB that come together are read one after the other, and others' operations in between.
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

/** The last progress of a call that is still being read: what the call says later must not overtake it. */
const PROGRESS = new WeakMap<object, Promise<void>>();

function keepOrder(job: AskingCall, reading: Promise<void>): void {
  const last = reading.finally(() => {
    if (PROGRESS.get(job) === last) PROGRESS.delete(job);
  });
  PROGRESS.set(job, last);
}

/** Calls back when the handler has all progress that the call has said: at once if none of it is being read. */
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
