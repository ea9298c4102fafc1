/**
 * Freezes calls that only wait for what outlives the process, a user's answer or a timer, and continues frozen calls.
 *
 * A frozen call goes on as before in this process. Its bytes are out of date as soon as its guest may have acted, so they are thawed
 * before the host handles anything that the guest sends.
 */

import { type Answering, answerOperation, type OperationRoom } from "./answer-operation.ts";
import { cacheFileName } from "./cache-file.ts";
import type { BaseImage, Image } from "../engine/image.ts";
import { type FrozenFor, type FrozenOperation, movedToNow, readFrozen, writeFrozen } from "../wire/frozen-call.ts";
import type { FrozenMisfit } from "../wire/fault.ts";
import { ASKS_PERSON } from "../wire/host-call.ts";
import type { Freezing } from "../wire/invocation.ts";
import type { CallJob, Rest } from "./job.ts";
import { claimResting, isAtRest, layOut, type OperationsState, type RestingCall, RestingMemory } from "../wire/resting-call.ts";

/** A sleep below this length ends before it is worth keeping. Longer for a large call: guests may sleep again and again. */
const LEAST_SLEEP_MS = 1_000;
/** Bytes that are worth a sleep of that length. */
const SLEEP_BYTES = 256 * 1024;

interface FreezerOptions {
  /** The base image, and the hash of everything that it depends on. */
  readonly base: () => { readonly image: BaseImage; readonly name: string } | undefined;
  readonly now: () => number;
  readonly room: OperationRoom;
  readonly onDefect: (message: string) => void;
}

export class Freezer {
  readonly #options: FreezerOptions;
  readonly #images: WeakMap<Image, Promise<string>> = new WeakMap();
  #engine: Promise<string> | undefined;

  constructor(options: FreezerOptions) {
    this.#options = options;
  }

  /** Notes an operation whose answer outlives the process. */
  asked(job: CallJob, { operation, name, text }: FrozenOperation): void {
    if (job.invocation.freezing === undefined || operation === 0 || !ASKS_PERSON.has(name)) return;
    (job.asked ??= new Map()).set(operation, { name, text });
  }

  /** Freezes the call that its worker has just laid out, if it waits for nothing else. */
  rests(job: CallJob): void {
    const { rest, invocation, plugin } = job;
    if (rest === undefined || invocation.freezing === undefined || !isLasting(rest.call, job.frozenAt, this.#options.now())) return;
    this.#freeze(job, rest, invocation.freezing).catch((defect: unknown) =>
      this.#options.onDefect(`A call of ${plugin.source.name} cannot be frozen: ${String(defect)}`),
    );
  }

  async #freeze(job: CallJob, rest: Rest, freezing: Freezing): Promise<void> {
    if (!(await freezing.isReady())) return;
    const belongsTo = await this.#belongsTo(job);
    // The call may have gone on meanwhile.
    if (belongsTo === undefined || job.rest !== rest || rest.answers.length > 0) return;
    const { guest, state } = rest.call;
    const operations = operationsOf(state.operations, job);
    if (operations === undefined) return;
    const counts = { operations: job.operations, effects: job.effects, logBytes: job.logBytes };
    const bytes = writeFrozen({ guest, state, operations, counts, frozenAt: this.#options.now() }, belongsTo);
    // The worker may have reused the memory while it was copied.
    if (!rest.isClaimed && !isAtRest(rest.call)) return;
    job.isFrozen = true;
    job.frozenAt = this.#options.now();
    freezing.freeze(bytes, state.timerAt);
  }

  /**
   * Makes a frozen call the resting call of a job that has not been submitted yet.
   *
   * @returns the operations to ask again; what differs, if the call cannot continue here
   */
  async restore(job: CallJob, bytes: Uint8Array): Promise<readonly FrozenOperation[] | FrozenMisfit> {
    const belongsTo = await this.#belongsTo(job);
    if (belongsTo === undefined) return "engine";
    const read = readFrozen(bytes, belongsTo);
    if (!read.ok) return read.differs;
    const { guest, counts, operations } = read.call;
    const contents = new RestingMemory().take(guest.contents.length);
    if (contents === undefined) return "altered";
    contents.set(guest.contents);
    const call = layOut({ ...guest, contents }, movedToNow(read.call, this.#options.now()), 1);
    claimResting(call);
    job.rest = { call, answers: [], isClaimed: true };
    job.answers = call.state.answers;
    // Those that are asked again are counted again.
    job.operations = counts.operations - operations.length;
    job.effects = counts.effects - operations.length;
    job.logBytes = counts.logBytes;
    return operations;
  }

  /** Asks the operations again that a restored call waits for, once it was submitted. */
  askAgain(job: CallJob, operations: readonly FrozenOperation[]): void {
    for (const operation of operations) {
      this.asked(job, operation);
      const message = { type: "operation", number: job.number, ...operation } as const;
      answerOperation(answeringOf(job), job, message, { plugin: job.plugin.source.name, room: this.#options.room });
    }
  }

  async #belongsTo({ plugin: { source, image }, invocation: { callId } }: CallJob): Promise<FrozenFor | undefined> {
    const base = this.#options.base();
    if (base === undefined) return undefined;
    this.#engine ??= cacheFileName([new TextEncoder().encode(base.name), new Uint8Array(base.image.bytes)]);
    const known = this.#images.get(image) ?? cacheFileName([new Uint8Array(image.pages)]);
    this.#images.set(image, known);
    return { engine: await this.#engine, digest: source.digest, image: await known, callId };
  }
}

/** Takes the frozen bytes out of use, before the call goes on or ends. */
export function thaw(job: CallJob): void {
  if (!job.isFrozen) return;
  job.invocation.freezing?.thaw();
  // If that failed, the call does nothing more.
  job.isFrozen = false;
}

/**
 * True if the call waits only for users, or for a timer that is due later than a moment from now. A call that waits for a user and wakes
 * often is frozen as rarely as one that sleeps.
 */
function isLasting({ guest, state: { operations, timerAt = Infinity } }: RestingCall, frozenAt: number | undefined, now: number): boolean {
  if (operations.atHost.length > 0) return false;
  const leastMs = LEAST_SLEEP_MS * Math.max(1, Math.ceil(guest.contents.length / SLEEP_BYTES));
  if (timerAt - now >= leastMs) return timerAt !== Infinity || operations.atPerson.length > 0;
  return operations.atPerson.length > 0 && (frozenAt === undefined || now - frozenAt >= leastMs);
}

/** Returns the waiting operations; undefined if the worker names one that it has not sent. */
function operationsOf({ atPerson }: OperationsState, { asked }: CallJob): readonly FrozenOperation[] | undefined {
  const found = atPerson.flatMap((operation) => {
    const message = asked?.get(operation);
    return message === undefined ? [] : [{ operation, ...message }];
  });
  return found.length === atPerson.length ? found : undefined;
}

/** The answers of a call that may have no worker yet. Its operations are asynchronous, and the host repeats no wrong message. */
function answeringOf({ answering }: CallJob): Answering {
  return { ...answering, answerSync: () => {}, unheard: () => {} };
}
