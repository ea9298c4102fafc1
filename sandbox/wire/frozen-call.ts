/**
 * A frozen call: a resting call as bytes that outlive the process, with the operations that it waits for.
 *
 * The bytes name the engine, the plugin's version and the call that they belong to. They are not protected against changes: the
 * host seals them. Reading checks their whole shape all the same.
 */

import { type ParkedGuest, isParkedGuest } from "../image/parked.ts";
import type { FrozenMisfit } from "./fault.ts";
import { type Check, isCallState, isCount, isText, shape } from "./messages.ts";
import { type CallState, MAXIMUM_RESTING_BYTES } from "./resting-call.ts";

/** The engine, version and call of a frozen call. It continues only where all of it is the same. */
export interface FrozenFor {
  /** Hash of the engine and its base image. */
  readonly engine: string;
  /** Hash of the plugin's files. */
  readonly digest: string;
  /** Hash of the plugin's image: the guest's pages are differences from it. */
  readonly image: string;
  readonly callId: string;
}

/** An operation that waits for its answer. It is asked again when the call continues. */
export interface FrozenOperation {
  /** The guest's id of the operation. */
  readonly operation: number;
  readonly name: string;
  /** JSON of the arguments. */
  readonly text: string;
}

interface FrozenCall {
  readonly guest: ParkedGuest;
  readonly state: CallState;
  /** Those that `state.operations` lists as waiting. */
  readonly operations: readonly FrozenOperation[];
  /** Numbers of operations and of all effects that the host has counted. */
  readonly counts: { readonly operations: number; readonly effects: number; readonly logBytes: number };
  /** Time of the freeze, on the clock of `state`. */
  readonly frozenAt: number;
}

/** The first bytes of a frozen call. The digit is the version of the format. */
const MAGIC = new TextEncoder().encode("bfc1");
const HEAD_AT = MAGIC.length + 4;
const MAXIMUM_HEAD_BYTES = 4 * 1024 * 1024;

export function writeFrozen({ guest, ...call }: FrozenCall, { engine, digest, image, callId }: FrozenFor): Uint8Array {
  const { runs, contents, ...rest } = guest;
  const written = { ...call, state: withoutInfinity(call.state), guest: { ...rest, runs: runs.length } };
  const head = new TextEncoder().encode(JSON.stringify({ for: { engine, digest, image, callId }, ...written }));
  const bytes = new Uint8Array(HEAD_AT + head.length + runs.byteLength + contents.length);
  bytes.set(MAGIC);
  new DataView(bytes.buffer).setUint32(MAGIC.length, head.length);
  bytes.set(head, HEAD_AT);
  const runBytes = new DataView(bytes.buffer, HEAD_AT + head.length);
  for (const [index, page] of runs.entries()) runBytes.setUint32(index * 4, page);
  bytes.set(contents, HEAD_AT + head.length + runs.byteLength);
  return bytes;
}

/** Reads what `writeFrozen` wrote, for exactly this engine, version and call. Never throws, whatever the bytes are. */
export function readFrozen(
  bytes: Uint8Array,
  expected: FrozenFor,
): { readonly ok: true; readonly call: FrozenCall } | { readonly ok: false; readonly differs: FrozenMisfit } {
  if (bytes.length < HEAD_AT || MAGIC.some((byte, index) => bytes[index] !== byte)) return ALTERED;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const headEnd = HEAD_AT + view.getUint32(MAGIC.length);
  if (headEnd > bytes.length || headEnd > MAXIMUM_HEAD_BYTES) return ALTERED;
  const head = parse(bytes.subarray(HEAD_AT, headEnd));
  if (!isHead(head)) return ALTERED;
  const { engine, digest, image, callId } = head.for;
  if (callId !== expected.callId) return { ok: false, differs: "call" };
  if (digest !== expected.digest) return { ok: false, differs: "version" };
  if (engine !== expected.engine) return { ok: false, differs: "engine" };
  if (image !== expected.image) return { ok: false, differs: "version" };
  const runsEnd = headEnd + head.guest.runs * 4;
  if (runsEnd > bytes.length) return ALTERED;
  const runs = Uint32Array.from({ length: head.guest.runs }, (_, index) => view.getUint32(headEnd + index * 4));
  const guest = { ...head.guest, runs, contents: bytes.subarray(runsEnd) };
  const state = withInfinity(head.state);
  if (!isParkedGuest(guest, MAXIMUM_RESTING_BYTES) || !isCallState(state)) return ALTERED;
  const { operations, counts, frozenAt } = head;
  const waiting = [...state.operations.atHost, ...state.operations.atPerson];
  if (waiting.length !== operations.length || !operations.every(({ operation }) => waiting.includes(operation))) return ALTERED;
  return { ok: true, call: { guest, state, operations, counts, frozenAt } };
}

const ALTERED = { ok: false, differs: "altered" } as const;

/** Moves the call's times to now: the time since the freeze does not count. Timers keep the moment at which they are due. */
export function movedToNow({ state, frozenAt }: FrozenCall, now: number): CallState {
  const gapMs = Math.max(0, now - frozenAt);
  const { clock } = state;
  return {
    ...state,
    clock: { ...clock, startedAt: clock.startedAt + gapMs, wallEnd: clock.wallEnd + gapMs, askedAt: clock.askedAt + gapMs },
  };
}

interface Head extends Omit<FrozenCall, "guest"> {
  readonly for: FrozenFor;
  readonly guest: Omit<ParkedGuest, "runs" | "contents"> & { readonly runs: number };
}

const isFor = shape({ engine: isText, digest: isText, image: isText, callId: isText });
const isLength: Check = (value) => Number.isInteger(value) && isCount(value) && value <= MAXIMUM_RESTING_BYTES;
const isOperation = shape({ operation: isCount, name: isText, text: isText });
const hasHeadShape = shape({
  for: isFor,
  guest: shape({ runs: isLength }),
  state: shape({ clock: shape({}), operations: shape({}) }),
  operations: (value) => Array.isArray(value) && value.every(isOperation),
  counts: shape({ operations: isCount, effects: isCount, logBytes: isCount }),
  frozenAt: isCount,
});

function isHead(value: unknown): value is Head {
  return hasHeadShape(value);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // Not what `writeFrozen` wrote.
    return undefined;
  }
}

/** The wall time of a call that waits for a confirmation has no end, which JSON cannot write. */
function withoutInfinity(state: CallState): object {
  const { wallEnd } = state.clock;
  return wallEnd === Infinity ? { ...state, clock: { ...state.clock, wallEnd: null } } : state;
}

function withInfinity(state: CallState): CallState {
  const { clock } = state;
  return (clock.wallEnd as number | null) === null ? { ...state, clock: { ...clock, wallEnd: Infinity } } : state;
}
