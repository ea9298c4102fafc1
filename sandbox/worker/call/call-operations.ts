/** Operations of one call: counts and bounds each of them, then answers it in the worker or sends it to the host. */

import { ASKS_PERSON } from "../../wire/host-call.ts";
import type { Limits } from "../../../manifests/mod.ts";
import type { CallClock } from "./call-clock.ts";
import type { CallLog } from "./call-log.ts";
import type { CallUse } from "./call-use.ts";
import type { OperationsState } from "../../wire/resting-call.ts";
import type { OpenConditions } from "../tape/call-conditions.ts";
import type { Observer } from "../tape/observer.ts";
import type { HostCallAnswer, HostCallWords } from "../../engine/guest-host.ts";
import type { ExhaustedLimit, Fault } from "../../wire/fault.ts";
import { LOCAL_OPERATIONS, type LocalEnvironment } from "../operations/local-operations.ts";
import type { LocalAnswer } from "../operations/local-answer.ts";
import { answerOwn } from "../operations/own-files.ts";
import { argumentsJson, OPERATION_TEXT_BYTES } from "../../wire/marshal.ts";
import type { SubtleCall, SubtleCallRequest } from "../operations/subtle-calls.ts";
import { SUBTLE_PREFIX } from "../operations/subtle-operations.ts";
import type { SyncAnswer, WorkerMessage } from "../../wire/protocol.ts";

/** Id of the operation that a guest is suspended for. Larger than any id a guest can count up to. */
export const AWAITED_OPERATION = 0x7fff_ffff;

export interface OperationsEnvironment {
  readonly local: LocalEnvironment;
  post(message: WorkerMessage): void;
  /** Keeps the thread's event loop running until the work is done. */
  background(work: Promise<void>): void;
  /** Opens the call's cryptography session. */
  openSubtle(number: number): SubtleCall;
  /** Blocks the thread until the answer to call `number`'s synchronous operation arrives, until `until`, or until cancellation. */
  waitForAnswer(number: number, until: number): SyncAnswer | undefined;
}

/** The call that owns the operations. */
export interface OperatingCall {
  readonly number: number;
  readonly limits: Limits;
  /** Files of the call's plugin. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly clock: CallClock;
  readonly log: CallLog;
  readonly use: CallUse;
  /** Time and randomness of the call; undefined if they are the machine's. */
  readonly conditions: OpenConditions | undefined;
  /** Set if observations are requested. */
  readonly observer: Observer | undefined;
  /** Fault that stops the guest, if one is already known. */
  readonly stopped: Fault | undefined;
  /** Checks now whether the guest must stop. */
  isStopped(): boolean;
  /** Stops the guest unless it is already stopping. */
  stop(fault: Fault): void;
  /** Delivers an answer that this worker produced. */
  answer(operation: number, answer: string, bytes: Uint8Array | undefined): void;
  end(fault: Fault): void;
  /** Pauses the wall clock until the answer to a confirmation enters the guest. */
  pauseWall(): void;
  resumeWall(): void;
}

/** Source of an answer. A `LocalAnswer` (about the plugin's own files) is known at once, but enters the guest like the others. */
type Answerer = "host" | "crypto" | "person" | LocalAnswer;

export class CallOperations {
  readonly #call: OperatingCall;
  readonly #env: OperationsEnvironment;
  /** Unanswered operations, by the guest's id, with the source of their answer. */
  readonly #pending: Map<number, Answerer> = new Map();
  #pendingAtHost = 0;
  /** Large answers that wait for the guest's next turn, with a callback for when they stop waiting. */
  #held: Map<number, () => void> | undefined;
  #subtle: SubtleCall | undefined;
  /** Created on first use, because most calls need none. */
  #local: LocalEnvironment | undefined;
  #count = 0;
  #isAwaiting = false;
  /** Returns the stack of the operation's request, if it waited in the guest. */
  #askedFrom: HostCallWords[4];
  #awaited: HostCallAnswer | undefined;

  constructor(call: OperatingCall, env: OperationsEnvironment, from?: OperationsState) {
    this.#call = call;
    this.#env = env;
    if (from === undefined) return;
    this.#count = from.count;
    for (const id of from.atHost) this.#pending.set(id, "host");
    for (const id of from.atPerson) this.#pending.set(id, "person");
    this.#pendingAtHost = this.#pending.size;
  }

  /**
   * Returns the state to move to another worker. Undefined if part of it belongs to this worker: cryptography keys, or an answer that
   * this worker is about to deliver.
   */
  get state(): OperationsState | undefined {
    if (this.#subtle !== undefined || (this.#held?.size ?? 0) > 0 || this.#isAwaiting) return undefined;
    const atHost: number[] = [];
    const atPerson: number[] = [];
    for (const [id, where] of this.#pending) {
      if (where !== "host" && where !== "person") return undefined;
      (where === "host" ? atHost : atPerson).push(id);
    }
    return { count: this.#count, atHost, atPerson };
  }

  /** Number of operations requested, without those that the worker answers at once. */
  get count(): number {
    return this.#count;
  }

  get isAnyPending(): boolean {
    return this.#pending.size > 0;
  }

  isPending(id: number): boolean {
    return this.#pending.has(id);
  }

  /** Marks an operation as answered. @returns the bytes that belong to the answer, if they are the plugin's own */
  settled(id: number): Uint8Array | undefined {
    const where = this.#pending.get(id);
    if (where !== undefined && where !== "crypto") this.#pendingAtHost--;
    this.#pending.delete(id);
    this.#call.conditions?.received(id);
    this.#release(id);
    if (where === "person") this.#call.resumeWall();
    return typeof where === "object" ? where.bytes : undefined;
  }

  /** Records that an answer has arrived. `taken` is called when it enters the guest, or when the call ends. */
  holds(id: number, taken: () => void): void {
    (this.#held ??= new Map()).set(id, taken);
  }

  #release(id: number): void {
    this.#held?.get(id)?.();
    this.#held?.delete(id);
  }

  close(): void {
    for (const taken of this.#held?.values() ?? []) taken();
    this.#held = undefined;
    this.#subtle?.close();
  }

  /** True while the guest is suspended until a synchronous operation is answered. */
  get isAwaiting(): boolean {
    return this.#isAwaiting;
  }

  /** Stores the answer that the guest is suspended for. */
  arrived(answer: HostCallAnswer): void {
    this.#call.use.carried(answer.answer ?? "", answer.bytes);
    this.#awaited = answer;
  }

  /** See `GuestHost.awaited`. If the call has to end, no answer has arrived. */
  awaited(): HostCallAnswer {
    const answer = this.#awaited ?? ENDED;
    this.#awaited = undefined;
    this.#isAwaiting = false;
    this.#release(AWAITED_OPERATION);
    this.#call.conditions?.received(AWAITED_OPERATION);
    return answer;
  }

  /** See `GuestHost.hostCall`. */
  ask([id, operation, told, bytes, stack]: HostCallWords, mayWait: boolean): HostCallAnswer | "later" {
    this.#askedFrom = stack;
    const { limits, log, use, conditions, stopped } = this.#call;
    // The engine polls the clock only at intervals. Until it does, a guest may continue after its call was stopped.
    if (stopped !== undefined) return ENDED;
    const local = LOCAL_OPERATIONS.get(operation);
    if (local !== undefined) {
      this.#local ??= { ...(conditions ?? this.#env).local, isOver: () => this.#call.isStopped() };
      const answer = local(told, bytes, this.#local);
      // The engine polls once in some thousand steps, and each of these steps may be one such operation.
      return this.#call.isStopped() ? ENDED : answer;
    }
    if (operation === "log") {
      log.add(told);
      return { answer: "vnull" };
    }
    if (operation === "timers") return this.#exhaust("timers", limits.timers);
    this.#count++;
    if (this.#count > limits.operations) return this.#exhaust("operations", limits.operations);
    const own = answerOwn({ operation, told, maxBytes: limits.operationBytes }, this.#call.files);
    if (own !== undefined) return this.#answerOwn(id, own);
    const text = argumentsJson(told);
    if (text.length > OPERATION_TEXT_BYTES || (bytes?.length ?? 0) > limits.operationBytes)
      return this.#exhaust("operationBytes", limits.operationBytes);
    if (use.nests(text, limits.jsonDepth) > limits.jsonDepth) return this.#exhaust("jsonDepth", limits.jsonDepth);
    use.carried(text, bytes);
    if (id === 0 && operation.startsWith(SUBTLE_PREFIX)) return errorAnswer("NotSupported", "Cryptography is asynchronous");
    // Prevents a deadlock: the called tool may have to run on this very worker.
    if (id === 0 && operation.startsWith("tools.")) return errorAnswer("NotSupported", "Tool calls are asynchronous");
    if (id === 0) return mayWait ? this.#sendAndSuspend(operation, text, bytes) : this.#sendAndWait(operation, text, bytes);
    if (operation.startsWith(SUBTLE_PREFIX)) return this.#beginSubtle(id, { method: operation.slice(SUBTLE_PREFIX.length), text, bytes });
    if (this.#pendingAtHost >= limits.pendingOperations) return this.#exhaustPending();
    this.#begin(id, ASKS_PERSON.has(operation) ? "person" : "host");
    this.#send(id, operation, text, bytes);
    return { answer: undefined };
  }

  #answerOwn(id: number, own: LocalAnswer): HostCallAnswer {
    if (id === 0) return own;
    if (this.#pendingAtHost >= this.#call.limits.pendingOperations) return this.#exhaustPending();
    this.#begin(id, own);
    // Answered later, because the guest is running now. The bytes are not copied until the answer enters the guest, because a thousand
    // answers may wait.
    this.#env.background(Promise.resolve().then(() => this.#call.answer(id, own.answer, undefined)));
    return { answer: undefined };
  }

  #exhaustPending(): HostCallAnswer {
    return this.#exhaust("pendingOperations", this.#call.limits.pendingOperations);
  }

  #begin(id: number, where: Answerer): void {
    this.#pending.set(id, where);
    if (where !== "crypto") this.#call.use.pending(++this.#pendingAtHost);
    if (where === "person") this.#call.pauseWall();
    this.#call.conditions?.asked(id);
  }

  /** Starts a cryptography operation. Its time counts as the call's CPU time, because host threads do the work. */
  #beginSubtle(id: number, request: SubtleCallRequest): HostCallAnswer {
    const { number, clock, conditions } = this.#call;
    const open = (): SubtleCall => this.#env.openSubtle(number);
    this.#subtle ??= conditions === undefined ? open() : conditions.openSubtle(open);
    const begun = this.#subtle.begin(request, ({ answer, bytes }, elapsedMs) => {
      const fault = clock.charge(elapsedMs);
      if (fault === undefined) this.#call.answer(id, answer, bytes);
      else this.#call.end(fault);
    });
    if (!begun) return this.#exhaustPending();
    this.#begin(id, "crypto");
    return { answer: undefined };
  }

  #sendAndSuspend(operation: string, text: string, bytes: Uint8Array | undefined): HostCallAnswer | "later" {
    // If the replayed call ended while it waited, no answer will arrive.
    if (this.#call.conditions !== undefined && this.#call.isStopped()) return ENDED;
    this.#isAwaiting = true;
    this.#send(AWAITED_OPERATION, operation, text, bytes);
    return "later";
  }

  /** Blocks the thread until the answer arrives, for guests that cannot be suspended. */
  #sendAndWait(operation: string, text: string, bytes: Uint8Array | undefined): HostCallAnswer {
    const { number, clock, conditions } = this.#call;
    // If the replayed call ended while it waited, no answer will arrive.
    if (conditions !== undefined && this.#call.isStopped()) return ENDED;
    const answer = clock.waiting(() => {
      this.#send(0, operation, text, bytes);
      return this.#env.waitForAnswer(number, clock.wallEnd);
    });
    if (answer !== undefined) {
      conditions?.received(0);
      this.#call.use.carried(answer.answer, answer.bytes);
      return answer;
    }
    if (!this.#call.isStopped()) this.#call.stop({ kind: "cancelled" });
    return ENDED;
  }

  /** Sends an operation to the host, after the lines logged before it. */
  #send(operation: number, name: string, text: string, bytes: Uint8Array | undefined): void {
    const { number, log, conditions } = this.#call;
    if (conditions !== undefined) {
      conditions.sent(operation);
      this.#call.observer?.asked(this.#askedFrom?.());
    }
    log.flush();
    this.#env.post({ type: "operation", number, operation, name, text, ...(bytes === undefined ? {} : { bytes }) });
  }

  #exhaust(limit: ExhaustedLimit, allowed: number): HostCallAnswer {
    this.#call.stop({ kind: "exhausted", limit, allowed });
    return errorAnswer("RangeError", `The call's limit is used up: ${limit} (${allowed})`);
  }
}

function errorAnswer(name: string, message: string): HostCallAnswer {
  return { answer: `e${JSON.stringify({ name, message })}` };
}

const ENDED = errorAnswer("Interrupted", "The call has ended");
