/**
 * What the host's thread and a worker say to each other.
 *
 * Messages carry JSON text and bytes, never guest objects. The host treats everything a worker says as hostile: call
 * numbers select only calls that the host itself gave to that worker, and grants are looked up by them.
 */

import type { Fault, LoadFault } from "../fault.ts";
import type { RestingCall } from "../call/resting-call.ts";
import type { CallWords } from "../guest/protocol.ts";
import type { BaseImage, Image } from "../image/image.ts";
import type { InvocationUsed, LogLine, OutputPart } from "../invocation.ts";
import type { Parking } from "../image/parked.ts";
import type { CallWorld, KeptTape } from "../tape/tape.ts";
import type { JsonSchema, Limits, ValueError } from "../../manifests/mod.ts";
import type { WasmModule } from "../wasm/api-types.ts";

/** Host to worker. */
export type WorkerRequest =
  /** Makes the base image, or takes one over. Sent once, before everything else. */
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
      /** Absent: those of the last call of the same plugin that this worker was given. */
      readonly limits?: Limits | undefined;
      /** What the tool's output is checked against where it is large, `null` for nothing. Absent: as in the last call of the same export. */
      readonly outputSchema?: JsonSchema | null | undefined;
      /** Set where the plugin keeps state: what the call begins with; the answer brings what it left. */
      readonly state?: { readonly image?: Image } | undefined;
      readonly world?: CallWorld | undefined;
      /** Set where the call began in another worker, which does not have it any more: where it goes on from. */
      readonly from?: RestingCall | undefined;
    }
  /** Answers an asynchronous operation; `answer` is tagged text (`guest/protocol.ts`). */
  | {
      readonly type: "answer";
      readonly number: number;
      readonly operation: number;
      readonly answer: string;
      readonly bytes?: Uint8Array;
    }
  /** The call may do the long operation of cryptography that it asked for. */
  | { readonly type: "lane"; readonly number: number }
  /** Aborts the guest's signal; the host ends what does not stop within the grace period. */
  | { readonly type: "abort"; readonly number: number }
  /** Ends a call now (when it is not spinning; else `Control.cancel` reaches it). */
  | { readonly type: "end"; readonly number: number };

/** Host to worker on the port for synchronous answers. */
export interface SyncAnswer {
  readonly number: number;
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

/** Worker to host. */
export type WorkerMessage =
  | { readonly type: "ready"; readonly base: BaseImage }
  | { readonly type: "broken"; readonly message: string }
  | { readonly type: "loaded"; readonly number: number; readonly image: Image }
  | { readonly type: "refused"; readonly number: number; readonly fault: LoadFault }
  /** `operation` 0 waits for its answer on the synchronous port. */
  | {
      readonly type: "operation";
      readonly number: number;
      readonly operation: number;
      readonly name: string;
      readonly text: string;
      readonly bytes?: Uint8Array;
    }
  /** The bytes of a large answer (`untaken.ts`) are in the guest, or never will be. */
  | { readonly type: "taken"; readonly number: number; readonly operation: number }
  /** A long operation of a call's cryptography waits for a lane (`pool/crypto-lanes.ts`), or is done with it. */
  | { readonly type: "lane"; readonly number: number; readonly wants: boolean }
  | { readonly type: "logs"; readonly number: number; readonly lines: readonly LogLine[] }
  /** A call that it took up and did not begin: those that wait here hold too much memory for one more. */
  | { readonly type: "full"; readonly number: number }
  /** A call waits: until its worker claims it to go on, the host may, and give it to another one (`call/resting-call.ts`). */
  | { readonly type: "rests"; readonly number: number; readonly call: RestingCall }
  | {
      readonly type: "done";
      readonly number: number;
      /** JSON text of at most 64 KB, without the parts. */
      readonly output: string;
      /** Of an output above 64 KB: its bytes move. */
      readonly parts?: readonly OutputPart[];
      /** Of an output above 64 KB: how it differs from the tool's schema. */
      readonly problems?: readonly ValueError[];
      readonly state?: Image;
      /** In place of a state that is too large to be kept: its size. */
      readonly droppedStateBytes?: number;
      readonly used: InvocationUsed;
      readonly lines: readonly LogLine[];
      readonly tape?: KeptTape;
    }
  | {
      readonly type: "failed";
      readonly number: number;
      readonly fault: Fault;
      readonly used: InvocationUsed;
      readonly lines: readonly LogLine[];
      readonly tape?: KeptTape;
    };

/** What both sides know an export of a plugin by. */
export function exportKey(module: string, name: string): string {
  return `${module}\0${name}`;
}

/** Entries of a list of names in a message: exports, operations under way. */
export const MAXIMUM_LIST = 1_024;

/** UTF-16 units of one line's text; the rest is cut. The host takes in no larger piece at once (SPEC LV2). */
export const LOG_TEXT_LENGTH: number = 32 * 1024;

/**
 * Status words in shared memory, readable whatever the worker's thread is doing. The guest cannot address them.
 *
 * `current` is the call whose guest code runs now (0: none); `enteredAt`, `endBy` and `lastPoll` (when the
 * engine last asked whether to go on) are its clock times in milliseconds; `cancel` names a call that must stop at the next interrupt poll; `bell` counts what was posted: a worker may sleep on it; `claims` is a ring in which the host offers calls and the worker takes them, so that an offer
 * can be taken back.
 */
export interface Control {
  readonly words: Int32Array;
  readonly times: Float64Array;
  /** One short envelope for a host that is awake (`slot.ts`). */
  readonly slot: Uint8Array;
}

export const CURRENT = 0;
export const CANCEL = 1;
export const BELL = 2;
/** 1 while the worker sleeps on the bell, or is about to. */
export const ASLEEP = 3;
/** What the worker's instances have taken so far, those it dropped included, in units of 1 KiB. */
export const TAKEN_KB = 4;
/** How many calls the worker has begun and runs no guest code of, because they wait. */
export const WAITING = 5;
/** What they hold, in units of 1 KiB. */
export const HELD_KB = 6;
/** How many requests the host has posted: so a worker knows how many wait without taking them. */
export const POSTED = 7;
/** How many bytes are in the slot; 0 for none. */
export const SAID = 8;
/** 1 while the host looks into the slot. */
export const AWAKE = 9;
/** How many envelopes the host has taken that the worker posted. */
export const HEARD = 10;
/** How many parts of logs the host has taken (`log-credit.ts`). */
export const LOGS_HEARD = 11;
/** Even: the times behind them are aligned to 8 bytes. */
const CLAIMS = 12;
const CLAIM_COUNT = 4_096;
export const ENTERED_AT = 0;
export const END_BY = 1;
export const LAST_POLL = 2;
const TIMES = 3;
const WORDS_BYTES = (CLAIMS + CLAIM_COUNT) * 4;
const SLOT_AT = WORDS_BYTES + TIMES * 8;
/** Most answers and questions are shorter. */
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
 * The number after `last`, for jobs and tickets: they stand in words of 32 bits, and a busy host passes 2³¹ calls within
 * a day. Never 0, which stands for none; by the time a number comes again, its first job is long answered.
 */
export function nextNumber(last: number): number {
  return last >= MAXIMUM_NUMBER ? 1 : last + 1;
}

const MAXIMUM_NUMBER = 0x7fff_ffff;

function claimIndex(ticket: number): number {
  return CLAIMS + (ticket % CLAIM_COUNT);
}

/** Offers the job with this ticket. A thread's tickets count up and few are open at once, so a place is always free. */
export function offer(control: Control, ticket: number): void {
  Atomics.store(control.words, claimIndex(ticket), ticket);
}

/** Takes an offered job for good, or takes an offer back: exactly one of both sides gets true. */
export function claim(control: Control, ticket: number): boolean {
  return Atomics.compareExchange(control.words, claimIndex(ticket), ticket, 0) === ticket;
}

export function isOffered(control: Control, ticket: number): boolean {
  return Atomics.load(control.words, claimIndex(ticket)) === ticket;
}
