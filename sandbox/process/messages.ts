/** Whether what comes out of a process has the shape of a message; checked before any word of it is read. */

import { parseGuestJson } from "../marshal.ts";
import {
  isCount,
  isFault,
  isLoadFault,
  isNumber,
  isText,
  isUsed,
  isLines,
  oneOf,
  optional,
  shape,
  type Check,
} from "../worker/messages.ts";
import type { Frame, FrameBounds } from "./frames.ts";
import type { ProcessMessage } from "./protocol.ts";
import { fromTapeText } from "./tape-text.ts";

/** The most that any call may send at once: 64 MiB of an operation's bytes, or 16 MiB of output, twice as long in escapes. */
export const MESSAGE_BOUNDS: FrameBounds = { frameBytes: 96 * 1024 * 1024, parts: 1 };
/** Above what a guest's own values may nest, which a fault's details hold. */
const HEAD_DEPTH = 1_024;

/** The message in a frame; undefined if it is none. */
export function readMessage({ head, parts: [bytes] }: Frame): ProcessMessage | undefined {
  const parsed = parseGuestJson(head, HEAD_DEPTH);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const message = { ...parsed, ...(bytes !== undefined && { bytes }) };
  return isProcessMessage(message) ? message : undefined;
}

function isProcessMessage(message: object): message is ProcessMessage {
  const type: unknown = Reflect.get(message, "type");
  return typeof type === "string" && Object.hasOwn(SHAPES, type) && SHAPES[type as ProcessMessage["type"]](message);
}

/** What a pool says of a call, too, and no worker can. */
const isLost = shape({ kind: oneOf(["lost"]) });
const isOverloaded = shape({ kind: oneOf(["overloaded"]), because: oneOf(["calls", "memory"]) });
const isPoolFault: Check = (fault) => isLost(fault) || isOverloaded(fault);
const isTapeText: Check = (value) => fromTapeText(value) !== undefined;
const isBytes: Check = (value) => value instanceof Uint8Array;

const SHAPES: Readonly<Record<ProcessMessage["type"], Check>> = {
  ready: () => true,
  base: shape({ name: isText, bytes: isBytes }),
  defect: shape({ message: isText }),
  pong: () => true,
  loaded: shape({ number: isNumber, loadMs: isCount, imageBytes: isCount }),
  refused: shape({ number: isNumber, fault: isLoadFault }),
  operation: shape({ number: isNumber, operation: isNumber, name: isText, text: isText, bytes: optional(isBytes) }),
  logs: shape({ number: isNumber, lines: isLines }),
  done: shape({ number: isNumber, used: isUsed, lines: isLines, output: isText, tape: optional(isTapeText) }),
  failed: shape({
    number: isNumber,
    used: isUsed,
    lines: isLines,
    fault: (fault) => isFault(fault) || isPoolFault(fault),
    tape: optional(isTapeText),
  }),
};
