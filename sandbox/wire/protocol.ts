/**
 * The messages between the host's thread and a worker.
 *
 * Messages carry JSON text and bytes, never guest objects. The host treats every worker message as hostile: a call number only selects
 * calls that the host assigned to that worker, and the host looks up their grants itself.
 */

import type { Fault, LoadFault, LoadWarning } from "./fault.ts";
import type { RestingCall } from "./resting-call.ts";
import type { CallWords } from "../guest/call/protocol.ts";
import type { BaseImage, Image } from "../engine/image.ts";
import type { InvocationUsed, LogLine, OutputPart } from "./invocation.ts";
import type { Parking } from "../image/parked.ts";
import type { Observed } from "./observed.ts";
import type { CallConditions, KeptTape } from "./tape.ts";
import type { JsonSchema, Limits, ValueError } from "../../manifests/mod.ts";
import type { WasmModule } from "../wasm/api-types.ts";

/** Above this size a worker starts no further calls until some have ended. A running call may use its own limit on top. */
export const FULL_BYTES: number = 256 * 1024 * 1024;

/** Messages from host to worker. */
export type WorkerRequest =
  /** Creates the base image, or adopts the given one. Sent once, before all other messages. */
  | {
      readonly type: "boot";
      readonly module: WasmModule;
      readonly base: BaseImage | undefined;
      readonly prepareToLoad: boolean;
      readonly parking: Parking;
    }
  | {
      readonly type: "load";
      readonly number: number;
      readonly ticket: number;
      readonly digest: string;
      readonly files: ReadonlyMap<string, Uint8Array>;
      readonly modules: ReadonlyMap<string, readonly string[]>;
      readonly memoryBytes: number;
      readonly loadMs: number;
    }
  /** A plugin's image, made by another worker. Sent before the first call that needs it. */
  | {
      readonly type: "image";
      readonly digest: string;
      readonly image: Image;
      readonly files: ReadonlyMap<string, Uint8Array>;
    }
  | { readonly type: "forget"; readonly digest: string }
  | {
      readonly type: "call";
      readonly number: number;
      readonly ticket: number;
      readonly digest: string;
      readonly words: CallWords;
      /** Absent: the limits of this plugin's last call on this worker. */
      readonly limits?: Limits | undefined;
      /** Schema for a large output; `null` for none. Absent: the schema of the last call of the same export. */
      readonly outputSchema?: JsonSchema | null | undefined;
      /** Set if the plugin keeps its state: the state that the call starts with. The result carries the state that the call leaves. */
      readonly state?: { readonly image?: Image } | undefined;
      readonly conditions?: CallConditions | undefined;
      /** State of a call that began in another worker, which no longer has it. */
      readonly from?: RestingCall | undefined;
    }
  /** Answers an asynchronous operation. `answer` is tagged text (`guest/call/protocol.ts`). */
  | {
      readonly type: "answer";
      readonly number: number;
      readonly operation: number;
      readonly answer: string;
      readonly bytes?: Uint8Array;
    }
  /** Grants the lane that a call requested for a long cryptography operation. */
  | { readonly type: "lane"; readonly number: number }
  /** Aborts the guest's signal. The host ends the call if it does not stop within the grace period. */
  | { readonly type: "abort"; readonly number: number }
  /** Ends a call that is not in the engine. `Control.cancel` stops a running one. */
  | { readonly type: "end"; readonly number: number };

/** Answer from host to worker, on the port for synchronous answers. */
export interface SyncAnswer {
  readonly number: number;
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

/** Messages from worker to host. */
export type WorkerMessage =
  | { readonly type: "ready"; readonly base: BaseImage }
  | { readonly type: "broken"; readonly message: string }
  | { readonly type: "loaded"; readonly number: number; readonly image: Image; readonly warnings?: readonly LoadWarning[] }
  | { readonly type: "refused"; readonly number: number; readonly fault: LoadFault }
  /** An operation. With `operation` 0, the worker waits for the answer on the synchronous port. */
  | {
      readonly type: "operation";
      readonly number: number;
      readonly operation: number;
      readonly name: string;
      readonly text: string;
      readonly bytes?: Uint8Array;
    }
  /** The bytes of a large answer (`untaken.ts`) are in the guest, or will never be. */
  | { readonly type: "taken"; readonly number: number; readonly operation: number }
  /** Requests or releases a lane for a long cryptography operation (`pool/crypto-limiter.ts`). */
  | { readonly type: "lane"; readonly number: number; readonly wants: boolean }
  | { readonly type: "logs"; readonly number: number; readonly lines: readonly LogLine[] }
  /** Returns a call that was not started, because waiting calls on this worker hold too much memory. */
  | { readonly type: "full"; readonly number: number }
  /**
   * Offers a waiting call: until its worker claims it to resume it, the host may claim it and give it to another worker
   * (`wire/resting-call.ts`).
   */
  | { readonly type: "rests"; readonly number: number; readonly call: RestingCall }
  | {
      readonly type: "done";
      readonly number: number;
      /** JSON text of at most 64 KB, without the parts. */
      readonly output: string;
      /** Parts of an output above 64 KB. Their bytes are transferred. */
      readonly parts?: readonly OutputPart[];
      /** Schema problems of an output above 64 KB. */
      readonly problems?: readonly ValueError[];
      readonly state?: Image;
      /** Size of a state that is too large to keep, instead of the state. */
      readonly droppedStateBytes?: number;
      readonly used: InvocationUsed;
      readonly lines: readonly LogLine[];
      readonly tape?: KeptTape;
      readonly observed?: Observed;
    }
  | {
      readonly type: "failed";
      readonly number: number;
      readonly fault: Fault;
      readonly used: InvocationUsed;
      readonly lines: readonly LogLine[];
      readonly tape?: KeptTape;
      readonly observed?: Observed;
    };

/** Key of a plugin's export, the same on both sides. */
export function exportKey(module: string, name: string): string {
  return `${module}\0${name}`;
}

/** Maximum length of a list of names in a message: exports, pending operations. */
export const MAXIMUM_LIST = 1_024;

/** Maximum UTF-16 units of a log line's text; the rest is cut. The host processes no larger piece at once (SPEC LV2). */
export const LOG_TEXT_LENGTH: number = 32 * 1024;

/**
 * Status words in shared memory. The host can read them whatever the worker's thread is doing; guests cannot address them.
 *
 * - `current` is the number of the call whose guest code runs now (0: none).
 * - `enteredAt`, `endBy` and `lastPoll` (the engine's last interrupt poll) are the clock times of that call, in milliseconds.
 * - `cancel` is the number of a call that must stop at the next interrupt poll.
 * - `bell` counts posts. A worker may sleep on it.
 * - `claims` is a ring in which the host offers calls and the worker claims them, so that the host can take an offer back.
 */
export interface Control {
  readonly words: Int32Array;
  readonly times: Float64Array;
  /** A mailbox for one short envelope, for a host that is awake (`slot.ts`). */
  readonly slot: Uint8Array;
}

export const CURRENT = 0;
export const CANCEL = 1;
export const BELL = 2;
/** 1 while the worker sleeps on the bell, or is about to. */
export const ASLEEP = 3;
/** Total memory of instances started so far, including dropped ones, in KiB. */
export const TAKEN_KB = 4;
/** Number of started calls that wait, without guest code running. */
export const WAITING = 5;
/** Memory that waiting calls hold, in KiB. */
export const HELD_KB = 6;
/** Number of requests that the host has posted, so that the worker knows how many wait without taking them. */
export const POSTED = 7;
/** Number of bytes in the slot; 0 if it is empty. */
export const SAID = 8;
/** 1 while the host polls the slot. */
export const AWAKE = 9;
/** Number of posted envelopes that the host has processed. */
export const HEARD = 10;
/** Number of log batches that the host has taken (`log-credit.ts`). */
export const LOGS_HEARD = 11;
/** Even, so that the times behind the claims are aligned to 8 bytes. */
const CLAIMS = 12;
const CLAIM_COUNT = 4_096;
export const ENTERED_AT = 0;
export const END_BY = 1;
export const LAST_POLL = 2;
const TIMES = 3;
const WORDS_BYTES = (CLAIMS + CLAIM_COUNT) * 4;
const SLOT_AT = WORDS_BYTES + TIMES * 8;
/** Large enough for most results and operations. */
const SLOT_BYTES = 8_192;
export const CONTROL_BYTES: number = SLOT_AT + SLOT_BYTES;

export function openControl(buffer: SharedArrayBuffer): Control {
  return {
    words: new Int32Array(buffer, 0, CLAIMS + CLAIM_COUNT),
    times: new Float64Array(buffer, WORDS_BYTES, TIMES),
    slot: new Uint8Array(buffer, SLOT_AT, SLOT_BYTES),
  };
}

/**
 * Returns the number after `last`, for jobs and tickets. Numbers wrap, because they are stored in words of 32 bits and a busy host passes
 * 2³¹ calls within a day. Never 0, which means none. By the time a number is reused, its first job is long finished.
 */
export function nextNumber(last: number): number {
  return last >= MAXIMUM_NUMBER ? 1 : last + 1;
}

const MAXIMUM_NUMBER = 0x7fff_ffff;

function claimIndex(ticket: number): number {
  return CLAIMS + (ticket % CLAIM_COUNT);
}

/** Offers the job with this ticket. Tickets of a thread count up and few are open at once, so the ring always has a free entry. */
export function offer(control: Control, ticket: number): void {
  Atomics.store(control.words, claimIndex(ticket), ticket);
}

/** Claims an offered job, or takes an offer back. Exactly one of the two sides gets true. */
export function claim(control: Control, ticket: number): boolean {
  return Atomics.compareExchange(control.words, claimIndex(ticket), ticket, 0) === ticket;
}

export function isOffered(control: Control, ticket: number): boolean {
  return Atomics.load(control.words, claimIndex(ticket)) === ticket;
}
