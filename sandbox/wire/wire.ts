/**
 * The wire format between the host's thread and a worker: packs several messages into one envelope, and the most frequent messages as flat
 * lists.
 *
 * Most of a message's cost is sending it: a post, a wake-up and an event. Next are member names: a result as a flat list is written and
 * read in a third of the time of an object with thirteen named counts (decision 11).
 */

import { isCount, isNumber, isText, isWorkerMessage, onlyUsed } from "./messages.ts";
import type { WorkerMessage, WorkerRequest } from "./protocol.ts";

/** A posted list of packed messages, in order. */
export type Envelope = readonly unknown[];

/** Maximum number of messages in an envelope. */
export const ENVELOPE_MESSAGES = 64;

/** First item of a flat list, its message type. */
const CALL = 1;
const ANSWER = 2;
const DONE = 3;
const OPERATION = 4;

export function packRequest(request: WorkerRequest): unknown {
  if (request.type === "call" && isPlainCall(request)) {
    const { number, ticket, digest, words } = request;
    return [CALL, number, ticket, digest, ...words];
  }
  if (request.type === "answer") {
    const { number, operation, answer, bytes } = request;
    return bytes === undefined ? [ANSWER, number, operation, answer] : [ANSWER, number, operation, answer, bytes];
  }
  return request;
}

function isPlainCall({ limits, outputSchema, state, conditions: env, from }: Extract<WorkerRequest, { type: "call" }>): boolean {
  return limits === undefined && outputSchema === undefined && state === undefined && env === undefined && from === undefined;
}

/** Unpacks a request. Trusted, because only the host packs requests. */
export function unpackRequest(packed: unknown): WorkerRequest {
  if (!Array.isArray(packed)) return packed as WorkerRequest;
  if (packed[0] === ANSWER) {
    const [, number, operation, answer, bytes] = packed as [number, number, number, string, Uint8Array?];
    return { type: "answer", number, operation, answer, ...(bytes !== undefined && { bytes }) };
  }
  const [, number, ticket, digest, module, name, args, context] = packed as [
    number,
    number,
    number,
    string,
    string,
    string,
    string,
    string,
  ];
  return { type: "call", number, ticket, digest, words: [module, name, args, context] };
}

export function packMessage(message: WorkerMessage): unknown {
  if (message.type === "operation" && message.bytes === undefined)
    return [OPERATION, message.number, message.operation, message.name, message.text];
  if (message.type !== "done" || message.lines.length > 0) return message;
  if (
    message.state !== undefined ||
    message.droppedStateBytes !== undefined ||
    message.tape !== undefined ||
    message.observed !== undefined ||
    message.parts !== undefined
  )
    return message;
  const { wallMs, cpuMs, memoryBytes, argumentBytes, operationBytes, pendingOperations, timers, jsonDepth, stackBytes } = message.used;
  // An engine without a write barrier cannot measure its stack.
  if (stackBytes === undefined) return message;
  const { outputBytes, logBytes, operations, fuel } = message.used;
  const first = [DONE, message.number, message.output, wallMs, cpuMs, memoryBytes, argumentBytes, operationBytes];
  return [...first, pendingOperations, timers, jsonDepth, stackBytes, outputBytes, logBytes, operations, fuel];
}

/** Unpacks a message. @returns undefined if it is malformed, because a compromised worker may send anything */
export function unpackMessage(packed: unknown): WorkerMessage | undefined {
  if (!Array.isArray(packed)) return isWorkerMessage(packed) ? withOnlyUsed(packed) : undefined;
  // Read item by item without a copy, because the results of all calls pass through here.
  const number: unknown = packed[1];
  if (!isNumber(number)) return undefined;
  if (packed[0] === DONE) return unpackDone(number, packed);
  const [kind, , operation, name, text] = packed as readonly unknown[];
  return kind === OPERATION && isNumber(operation) && isText(name) && isText(text)
    ? { type: "operation", number, operation, name, text }
    : undefined;
}

function withOnlyUsed(message: WorkerMessage): WorkerMessage {
  return message.type === "done" || message.type === "failed" ? { ...message, used: onlyUsed(message.used) } : message;
}

const FIRST_COUNT = 3;
const DONE_ITEMS = FIRST_COUNT + 13;

function unpackDone(number: number, packed: readonly unknown[]): WorkerMessage | undefined {
  const output = packed[2];
  if (!isText(output) || packed.length !== DONE_ITEMS) return undefined;
  const counts: number[] = [];
  for (let index = FIRST_COUNT; index < DONE_ITEMS; index++) {
    const count = packed[index];
    if (!isCount(count)) return undefined;
    counts.push(count);
  }
  const at = (index: number): number => counts[index] ?? 0;
  // In the order of `packMessage`.
  const used = {
    wallMs: at(0),
    cpuMs: at(1),
    memoryBytes: at(2),
    argumentBytes: at(3),
    operationBytes: at(4),
    pendingOperations: at(5),
    timers: at(6),
    jsonDepth: at(7),
    stackBytes: at(8),
    outputBytes: at(9),
    logBytes: at(10),
    operations: at(11),
    fuel: at(12),
  };
  return { type: "done", number, output, used, lines: [] };
}
