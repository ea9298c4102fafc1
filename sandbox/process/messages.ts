/** Checks the shape of a process's messages before any member is read. */

import type { Invocation } from "../wire/invocation.ts";
import { LARGE_BYTES, MAXIMUM_PARTS, OPERATION_TEXT_BYTES, parseGuestJson } from "../wire/marshal.ts";
import {
  isCount,
  isFault,
  isLoadFault,
  isLoadWarnings,
  isNumber,
  isParts,
  isProblems,
  isText,
  isUsed,
  isLines,
  oneOf,
  onlyUsed,
  optional,
  shape,
  type Check,
} from "../wire/messages.ts";
import type { Frame, FrameBounds } from "./frames.ts";
import type { ProcessMessage } from "./protocol.ts";
import { fromTapeText } from "./tape-text.ts";

/** Enough for an operation's text, with its quotes escaped again, and its other members. */
const LEAST_HEAD_BYTES = 2 * OPERATION_TEXT_BYTES + 256 * 1024;
/** Enough for a tape within its bounds, as text. */
const TAPE_HEAD_BYTES = 16 * 1024 * 1024;
/** Maximum size of a base image, which arrives from a process without calls. */
export const BASE_IMAGE_BYTES: number = 32 * 1024 * 1024;

/**
 * Frame bounds of a process without calls. The host does not parse more than the calls of a process may send, because that would block
 * its thread.
 */
export const LEAST_BOUNDS: FrameBounds = { headBytes: LEAST_HEAD_BYTES, frameBytes: LEAST_HEAD_BYTES + BASE_IMAGE_BYTES, parts: 1 };

/** Extends the bounds for a call: its log lines and errors with all characters escaped, its output, or an operation's bytes. */
export function withCall(
  { headBytes, frameBytes, parts }: FrameBounds,
  { limits, conditions: env }: Pick<Invocation, "limits" | "conditions">,
): FrameBounds {
  const { logBytes, outputBytes, operationBytes } = limits;
  const head = LEAST_HEAD_BYTES + ESCAPED * logBytes + (env?.keepsTape === true ? TAPE_HEAD_BYTES : 0);
  const frame = head + Math.max(UTF8 * outputBytes, UTF8 * OPERATION_TEXT_BYTES + operationBytes) + 1_024;
  return { headBytes: Math.max(headBytes, head), frameBytes: Math.max(frameBytes, frame), parts: Math.max(parts, 1 + MAXIMUM_PARTS) };
}

/** Maximum bytes of one character, as `\u0000` and in UTF-8. */
const ESCAPED = 6;
const UTF8 = 3;
const decoder = new TextDecoder();
/** Deeper than a guest's own values may nest. They appear in a fault's details. */
const HEAD_DEPTH = 1_024;

/** Returns the message in a frame; undefined if it is invalid. */
export function readMessage({ head, parts }: Frame): ProcessMessage | undefined {
  const [bytes] = parts;
  const parsed = parseGuestJson(head, HEAD_DEPTH);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const type: unknown = Reflect.get(parsed, "type");
  // Long text travels as a part, because in the head it would be escaped again.
  const carried = type === "done" ? doneOf(parsed, parts) : type === "operation" ? operationOf(parsed, parts) : { bytes };
  const message: object = { ...parsed, ...(bytes !== undefined && carried) };
  if (!isProcessMessage(message)) return undefined;
  return message.type === "done" || message.type === "failed" ? { ...message, used: onlyUsed(message.used) } : message;
}

/** Arguments above 64 KB precede the operation's bytes. */
function operationOf(parsed: object, [first, second]: readonly Uint8Array[]): object {
  const [text, bytes] = Reflect.has(parsed, "text") ? [undefined, first] : [first, second];
  return { ...(text !== undefined && { text }), ...(bytes !== undefined && { bytes }) };
}

/** Reads an output of at most 64 KB, and the parts of a large one beside it. */
function doneOf(parsed: object, [output, ...pieces]: readonly Uint8Array[]): object {
  const places: unknown = Reflect.get(parsed, "places");
  const text = output === undefined || output.length > UTF8 * LARGE_BYTES ? undefined : decoder.decode(output);
  if (!Array.isArray(places) || places.length !== pieces.length) return { output: pieces.length === 0 ? text : undefined };
  return { output: text, parts: pieces.map((bytes, index) => ({ ...(places[index] as object), bytes })) };
}

function isProcessMessage(message: object): message is ProcessMessage {
  const type: unknown = Reflect.get(message, "type");
  return typeof type === "string" && Object.hasOwn(SHAPES, type) && SHAPES[type as ProcessMessage["type"]](message);
}

/** Faults of a pool, which a worker cannot report. */
const isLost = shape({ kind: oneOf(["lost"]) });
const isOverloaded = shape({ kind: oneOf(["overloaded"]), because: oneOf(["calls", "memory"]) });
const isPoolFault: Check = (fault) => isLost(fault) || isOverloaded(fault);
const isTapeText: Check = (value) => fromTapeText(value) !== undefined;
const isTrue: Check = (value) => value === true;
const isBytes: Check = (value) => value instanceof Uint8Array;
const isTextOrBytes: Check = (value) => isText(value) || isBytes(value);

const SHAPES: Readonly<Record<ProcessMessage["type"], Check>> = {
  ready: () => true,
  base: shape({ name: isText, bytes: isBytes }),
  defect: shape({ message: isText }),
  pong: () => true,
  loaded: shape({ number: isNumber, loadMs: isCount, imageBytes: isCount, warnings: optional(isLoadWarnings) }),
  refused: shape({ number: isNumber, fault: isLoadFault }),
  operation: shape({ number: isNumber, operation: isNumber, name: isText, text: isTextOrBytes, bytes: optional(isBytes) }),
  taken: shape({ number: isNumber, operation: isNumber }),
  logs: shape({ number: isNumber, lines: isLines }),
  done: shape({
    number: isNumber,
    used: isUsed,
    lines: isLines,
    output: isText,
    parts: optional(isParts),
    problems: optional(isProblems),
    droppedStateBytes: optional(isCount),
    tape: optional(isTapeText),
    beganAfresh: optional(isTrue),
  }),
  failed: shape({
    number: isNumber,
    used: isUsed,
    lines: isLines,
    fault: (fault) => isFault(fault) || isPoolFault(fault),
    tape: optional(isTapeText),
    beganAfresh: optional(isTrue),
  }),
};
