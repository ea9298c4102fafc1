/** Headers of the messages of a cluster, read from envelopes whose sender is known, and still untrusted (SPEC CL2, CL3, CL6). */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import { isJsonObject } from "../../manifests/mod.ts";
import { type ErrorCode, readErrorCode } from "../call/errors.ts";
import type { CallRecord } from "./acceptance.ts";
import { CLOCK_MS } from "./names.ts";

/** A value that is too large for a message, in the bucket of large values. */
export interface LargeValue {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

/** A caller's request: runs the call, or asks how it is. */
export interface CallHeader {
  readonly kind: "call";
  readonly callId: string;
  /** SHA-256 in hexadecimal over digest, tool, owner and arguments. */
  readonly hash: string;
  readonly digest: string;
  /** Qualified name. */
  readonly tool: string;
  /** Owner of the caller's session, in the caller's own words. */
  readonly owner: string;
  readonly timeoutMs: number;
  readonly traceparent?: string;
  /** Subject of frames and result. */
  readonly inbox: string;
  /** Number of frames that the caller has taken. */
  readonly taken: number;
  /** Whether the arguments are with it. A caller that only asks leaves them out. */
  readonly hasArguments: boolean;
  /** Whether a member has told the caller of a record of the call. Without one, the server has lost it. */
  readonly isKnown: boolean;
  readonly large?: LargeValue;
}

/** Progress, or a value that the tool yields. */
interface FrameHeader {
  readonly kind: "progress" | "yield";
  readonly key: string;
  /** From 1, without gaps. */
  readonly number: number;
  readonly large?: LargeValue;
}

/** A caller's note to the member that runs its call. */
type NoteHeader =
  | { readonly kind: "taken"; readonly key: string; readonly taken: number }
  | { readonly kind: "cancel"; readonly key: string };

const STATES = ["running", "ended", "needed", "elsewhere", "busy", "gone", "again", "missing"] as const;
/** Answers without an error. */
export type PlainState = (typeof STATES)[number];

/** Key of the refusal of a message that the member could not read. */
export const NO_KEY: string = "0".repeat(64);

/** A member's answer to a request. */
export type AckHeader = {
  readonly kind: "ack";
  readonly key: string;
  /** Process that runs the call, or that answers. */
  readonly incarnation: string;
} & (
  | {
      /** `ended`: the result was sent. `needed`: send the arguments. `elsewhere`: ask that process. `busy`, `gone`: ask another member. `again`: ask again. `missing`: it may have run. */
      readonly state: PlainState;
      /** For `running`: frames that have been taken before. */
      readonly taken: number;
    }
  | { readonly state: "refused"; readonly code: ErrorCode; readonly message: string }
);

/** Fields of a call's record besides its state; the payload of an ended one is the result. */
export type RecordHeader = CallRecord & { readonly kind: "record"; readonly key: string; readonly large?: LargeValue };

const SHA256 = /^[0-9a-f]{64}$/;
const TOKEN = /^[0-9A-Za-z_-]{1,64}$/;
const INBOX = /^_INBOX\.[0-9A-Za-z_.-]{1,190}$/;
const OBJECT = /^[0-9A-Za-z_.-]{1,200}$/;
const NAME = /^[A-Za-z$][\w.$-]{0,200}$/;
const TRACEPARENT = /^[\da-f-]{55}$/;
const MAX_ID_LENGTH = 256;
const MAX_OWNER_LENGTH = 256;
const MAX_MESSAGE_LENGTH = 4_000;
const MAX_TIMEOUT_MS = 24 * 3_600_000;
const MAX_LARGE_BYTES = 256 * 1024 * 1024;

/** Returns why a message is too old or too new; undefined if it is neither. */
export function clockProblem({ at }: JsonObject, now: number): string | undefined {
  if (typeof at !== "number") return "it has no time";
  const apart = Math.round(Math.abs(now - at) / 1000);
  return Math.abs(now - at) <= CLOCK_MS ? undefined : `its clock and this one differ by ${apart} seconds (set both by NTP)`;
}

export function readCall(header: JsonObject): CallHeader | undefined {
  const { kind, callId, hash, digest, tool, owner, timeoutMs, traceparent, inbox, taken, hasArguments, isKnown, large } = header;
  if (kind !== "call" || !isText(callId, MAX_ID_LENGTH) || !matches(hash, SHA256) || !matches(digest, SHA256)) return undefined;
  if (!matches(tool, NAME) || !isText(owner, MAX_OWNER_LENGTH) || !isInbox(inbox) || !isCount(taken)) return undefined;
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0) || timeoutMs > MAX_TIMEOUT_MS || typeof hasArguments !== "boolean")
    return undefined;
  if (typeof isKnown !== "boolean") return undefined;
  const value = readLarge(large);
  if (value === false) return undefined;
  return {
    ...{ kind, callId, hash, digest, tool, owner, timeoutMs, inbox, taken, hasArguments, isKnown },
    ...(matches(traceparent, TRACEPARENT) && { traceparent }),
    ...(value && { large: value }),
  };
}

export function readNote({ kind, key, taken }: JsonObject): NoteHeader | undefined {
  if (!matches(key, SHA256)) return undefined;
  if (kind === "cancel") return { kind, key };
  return kind === "taken" && isCount(taken) ? { kind, key, taken } : undefined;
}

export function readFrame({ kind, key, number, large }: JsonObject): FrameHeader | undefined {
  const value = readLarge(large);
  if ((kind !== "progress" && kind !== "yield") || !matches(key, SHA256) || !isCount(number) || value === false) return undefined;
  return { kind, key, number, ...(value && { large: value }) };
}

export function readAck({ kind, key, incarnation, state, taken, code, message }: JsonObject): AckHeader | undefined {
  if (kind !== "ack" || !matches(key, SHA256) || !matches(incarnation, TOKEN)) return undefined;
  const base = { kind, key, incarnation } as const;
  if (state === "refused") {
    const known = typeof code === "string" ? readErrorCode(code) : undefined;
    return known === undefined || typeof message !== "string"
      ? undefined
      : { ...base, state, code: known, message: message.slice(0, MAX_MESSAGE_LENGTH) };
  }
  const named = STATES.find((one) => one === state);
  return named === undefined || !isCount(taken) ? undefined : { ...base, state: named, taken };
}

export function readRecord({ kind, key, state, hash, incarnation, isIdempotent, run, large }: JsonObject): RecordHeader | undefined {
  if (kind !== "record" || !matches(key, SHA256) || !matches(hash, SHA256) || !matches(incarnation, TOKEN)) return undefined;
  const value = readLarge(large);
  if (state === "ended" && value !== false) return { kind, key, state, hash, incarnation, ...(value && { large: value }) };
  if (state !== "accepted" || typeof isIdempotent !== "boolean" || !isCount(run)) return undefined;
  return { kind, key, state, hash, incarnation, isIdempotent, run };
}

function readLarge(value: JsonValue | undefined): LargeValue | false | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) return false;
  const { name, bytes, sha256 } = value;
  if (!matches(name, OBJECT) || !isCount(bytes) || bytes > MAX_LARGE_BYTES || !matches(sha256, SHA256)) return false;
  return { name, bytes, sha256 };
}

/** Whether a member may send to a subject that a message names: any other could be one of the server, or of a bucket. */
export function isInbox(subject: JsonValue | undefined): subject is string {
  return matches(subject, INBOX);
}

function isText(value: JsonValue | undefined, most: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= most;
}

function matches(value: JsonValue | undefined, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
