/** Checks the shape of a worker's messages, because a compromised worker may send anything. */

import { type Fault, MAX_LOAD_WARNINGS } from "./fault.ts";
import { ENTRY_NAMES } from "../engine/handles.ts";
import { isImage } from "../engine/image.ts";
import { MAXIMUM_RESTING_BYTES } from "./resting-call.ts";
import { isParkedGuest } from "../image/parked.ts";
import type { InvocationUsed } from "./invocation.ts";
import { MAXIMUM_PARTS } from "./marshal.ts";
import { isObserved } from "./observed.ts";
import { isTape, type KeptTape } from "./tape.ts";
import { LOG_TEXT_LENGTH, MAXIMUM_LIST, type WorkerMessage } from "./protocol.ts";

/** Checks a message before any member is read. Its contents are still not trusted. */
export function isWorkerMessage(raw: unknown): raw is WorkerMessage {
  const type = field(raw, "type");
  return typeof type === "string" && Object.hasOwn(SHAPES, type) && SHAPES[type as WorkerMessage["type"]](raw);
}

/** Checks the shape of a value. */
export type Check = (value: unknown) => boolean;

export const isText = (value: unknown): value is string => typeof value === "string";
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;
export const isNumber = (value: unknown): value is number => typeof value === "number";
/** Rejects shared memory, which may change after the check. */
const isBytes: Check = (value) => value instanceof Uint8Array && value.buffer instanceof ArrayBuffer;
const isTexts = listOf(isText, MAXIMUM_LIST);
const isAnything: Check = () => true;

/** One of the four levels, and text within the length limit. */
const isLine: Check = (value) => Array.isArray(value) && LEVELS.has(value[0]) && isText(value[1]) && value[1].length <= LOG_TEXT_LENGTH;
const LEVELS: ReadonlySet<unknown> = new Set(["debug", "info", "warn", "error"]);
/** Longer than the list of lines that an honest worker sends at once. */
export const isLines: Check = listOf(isLine, MAXIMUM_LIST);

/** In the order in which callers read them. */
const USED: { readonly [K in keyof Required<InvocationUsed>]: Check } = {
  wallMs: isCount,
  cpuMs: isCount,
  memoryBytes: isCount,
  argumentBytes: optional(isCount),
  operationBytes: optional(isCount),
  pendingOperations: optional(isCount),
  timers: optional(isCount),
  jsonDepth: optional(isCount),
  stackBytes: optional(isCount),
  outputBytes: isCount,
  logBytes: isCount,
  operations: isCount,
  fuel: isCount,
};

export const isUsed: Check = shape(USED);

/** Returns only the known members of a checked `used`. */
export function onlyUsed(used: InvocationUsed): InvocationUsed {
  const known = Object.keys(USED).map((name): [string, unknown] => [name, Reflect.get(used, name)]);
  // Required members are present, and absent optional ones are left out.
  return Object.fromEntries(known.filter(([, value]) => value !== undefined)) as unknown as InvocationUsed;
}

/** Members of each kind of fault. The host turns them into messages. */
const FAULTS: ReadonlyMap<unknown, Check> = new Map<unknown, Check>([
  ["threw", shape({ name: isText, message: isText, stack: isText, toolError: optional(shape({ message: isText, details: isAnything })) })],
  ["timeout", shape({ limit: oneOf(["wall", "cpu"]), limitMs: isCount })],
  [
    "exhausted",
    shape({
      limit: oneOf(["memory", "stack", "output", "logs", "operations", "pendingOperations", "timers", "jsonDepth", "operationBytes"]),
      allowed: isCount,
    }),
  ],
  ["no_export", shape({ module: isText, export: isText, available: isTexts })],
  ["not_json", shape({ message: isText })],
  ["never_settles", isAnything],
  ["held_most", shape({ allowedBytes: isCount })],
  ["unfinished", shape({ operations: isTexts })],
  ["unhandled", shape({ name: isText, message: isText, stack: isText })],
  ["cancelled", isAnything],
  ["differs", isAnything],
  ["trap", shape({ message: isText })],
]);

/** Checks that a value from a worker or a file is a fault that a worker may report. */
export function isFault(value: unknown): value is Fault {
  return FAULTS.get(field(value, "kind"))?.(value) === true;
}

export const isLoadFault: Check = shape({
  kind: oneOf(["syntax", "threw", "import", "limit", "no_export", "trap"]),
  message: isText,
  file: optional(isText),
  line: optional(isCount),
  column: optional(isCount),
  stack: optional(isText),
});

const isLoadWarning = shape({ source: isText, file: isText, line: isCount, column: isCount });
export const isLoadWarnings: Check = listOf(isLoadWarning, MAX_LOAD_WARNINGS);

const isAddress: Check = (value) => isCount(value) && Number.isInteger(value);

/** Checked completely, because the host writes it to a file and sends it to every other worker. */
const isBase = shape({
  bytes: (value) => value instanceof SharedArrayBuffer,
  heapEnd: isAddress,
  randomAddress: isAddress,
  facts: shape({
    dataEnd: isAddress,
    stackTop: isAddress,
    breakAddress: isAddress,
    getStackPointer: isText,
    setStackPointer: isText,
    timeImport: isText,
  }),
  handles: shape({
    runtime: isAddress,
    jobContext: isAddress,
    context: isAddress,
    undefinedValue: isAddress,
    argumentPointers: isAddress,
    entry: shape(Object.fromEntries(ENTRY_NAMES.map((name) => [name, isAddress]))),
  }),
});

export function isKeptTape(value: unknown): value is KeptTape {
  return value === "too_long" || isTape(value);
}

/** Parts of an output that cross as bytes. Their paths are checked when they are inserted. */
export const isParts: Check = listOf(shape({ at: isText, kind: oneOf(["text", "json"]), bytes: isBytes }), MAXIMUM_PARTS);
export const isProblems: Check = listOf(shape({ pointer: isText, message: isText, keyword: isText }), MAXIMUM_LIST);

const isIds = listOf(isNumber, MAXIMUM_LIST);
const isWord: Check = (value) => value instanceof Int32Array && value.length === 1 && value.buffer instanceof SharedArrayBuffer;
const isTime: Check = (value) => isNumber(value) && !Number.isNaN(value);

/** Checks the state of a waiting call, from a worker or a file. */
export const isCallState: Check = shape({
  clock: shape({
    startedAt: isCount,
    wallEnd: isTime,
    cpuMs: isCount,
    questions: isCount,
    leftMs: isTime,
    askedAt: isCount,
    stoodMs: isCount,
    heldUpMs: isTime,
    givenBackMs: isCount,
  }),
  log: shape({ bytes: isCount, lines: isCount, dropped: isCount }),
  operations: shape({ count: isCount, atHost: isIds, atPerson: isIds }),
  use: shape({ operationBytes: isCount, pendingOperations: isCount, timers: isCount, jsonDepth: isCount }),
  timerAt: optional(isTime),
  answers: isCount,
});

const isRestingCall: Check = shape({
  guest: (value) => isParkedGuest(value, MAXIMUM_RESTING_BYTES),
  claim: isWord,
  ticket: (value) => isNumber(value) && Number.isInteger(value) && value !== 0,
  state: isCallState,
});

const ANSWER = { number: isNumber, used: isUsed, lines: isLines, tape: optional(isKeptTape), observed: optional(isObserved) };

const SHAPES: Readonly<Record<WorkerMessage["type"], Check>> = {
  ready: shape({ base: isBase }),
  broken: shape({ message: isText }),
  loaded: shape({ number: isNumber, image: isImage, warnings: optional(isLoadWarnings) }),
  refused: shape({ number: isNumber, fault: isLoadFault }),
  operation: shape({ number: isNumber, operation: isNumber, name: isText, text: isText, bytes: optional(isBytes) }),
  taken: shape({ number: isNumber, operation: isNumber }),
  lane: shape({ number: isNumber, wants: (value) => typeof value === "boolean" }),
  logs: shape({ number: isNumber, lines: isLines }),
  full: shape({ number: isNumber }),
  rests: shape({ number: isNumber, call: isRestingCall }),
  done: shape({
    ...ANSWER,
    output: isText,
    parts: optional(isParts),
    problems: optional(isProblems),
    state: optional(isImage),
    droppedStateBytes: optional(isCount),
  }),
  failed: shape({ ...ANSWER, fault: isFault }),
};

export function shape(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (value) => typeof value === "object" && value !== null && checks.every(([name, check]) => check(Reflect.get(value, name)));
}

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function listOf(check: Check, maximum: number): Check {
  return (value) => Array.isArray(value) && value.length <= maximum && everyItem(value, check);
}

/** Checks every item including holes, which `every` skips. */
function everyItem(list: readonly unknown[], check: Check): boolean {
  for (const item of list) if (!check(item)) return false;
  return true;
}

export function oneOf(words: readonly string[]): Check {
  return (value) => typeof value === "string" && words.includes(value);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
