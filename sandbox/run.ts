/**
 * One call inside a worker: drives the guest from `invoke` to an output or a fault, through microtasks, timers and
 * operations, and keeps its limits.
 */

import { type Limits, utf8Length } from "../manifests/mod.ts";
import { CallClock, type ClockEnvironment } from "./call-clock.ts";
import { type CallFacts, engineFault, thrownFault, unsettledFault, unwrittenFault } from "./call-faults.ts";
import { CallLog } from "./call-log.ts";
import { CallUse } from "./call-use.ts";
import type { World } from "./call-world.ts";
import type { ExhaustedLimit, Fault } from "./fault.ts";
import type { GuestHost } from "./guest-host.ts";
import type { Instance } from "./instance.ts";
import { LOCAL_OPERATIONS, type LocalEnvironment } from "./local-operations.ts";
import { OPERATION_TEXT_BYTES } from "./marshal.ts";
import type { CallWords } from "./guest/protocol.ts";
import type { EntryOrder } from "./entry-order.ts";
import type { Image } from "./image.ts";
import { MAXIMUM_STATE_BYTES } from "./session-states.ts";
import type { ModuleTable } from "./modules.ts";
import { SUBTLE_PREFIX } from "./subtle-operations.ts";
import type { SubtleCall, SubtleCallRequest } from "./subtle-calls.ts";
import type { InvocationUsed } from "./invocation.ts";
import { readStatus } from "./status.ts";
import type { KeptTape } from "./tape.ts";
import { DIFFERS } from "./tape-order.ts";
import type { SyncAnswer, WorkerMessage } from "./worker/protocol.ts";

/** What a run needs of its worker. */
export interface RunEnvironment extends ClockEnvironment {
  readonly local: LocalEnvironment;
  /** Milliseconds since the epoch. */
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
  post(message: WorkerMessage): void;
  /** Opens a call's share of cryptography. */
  openSubtle(number: number): SubtleCall;
  /** Blocks the thread until the answer to call `number`'s synchronous operation, or `until`, or cancellation. */
  waitForAnswer(number: number, until: number): SyncAnswer | undefined;
}

export interface RunRequest {
  readonly number: number;
  readonly words: CallWords;
  readonly limits: Limits;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** For dynamic imports. */
  readonly modules: ModuleTable;
  /** Undefined: the machine's. */
  readonly world: World | undefined;
  /** Set where the plugin keeps its state: captures what the call leaves. */
  readonly capture?: (instance: Instance) => Image;
}

const JOBS_A_SLICE = 1_000;
/** Answers of the entry functions other than outputs: errors (bounded by the prelude), names of exports. */
const STATUS_BYTES = 65_536;

export class Run {
  readonly number: number;
  readonly #env: RunEnvironment;
  readonly #instance: Instance;
  readonly #request: RunRequest;
  readonly #finished: (run: Run) => void;
  readonly #clock: CallClock;
  /** Operations that have not been answered, by the guest's id, and who answers them. */
  readonly #pending: Map<number, "host" | "crypto"> = new Map();
  #pendingAtHost = 0;
  readonly #log: CallLog;
  readonly #world: World | undefined;
  #subtle: SubtleCall | undefined;
  /** Made when it is first used: most calls need none. */
  #local: LocalEnvironment | undefined;
  #operations = 0;
  readonly #use: CallUse = new CallUse();
  /** Why the guest must stop; set while it runs, acted upon when it has left the engine. */
  #stop: Fault | undefined;
  #over = false;
  /** How long the guest wants to wait for its next timer; undefined without one. */
  #timerMs: number | undefined;
  #following = false;
  #cancelTimer: () => void = () => {};
  #cancelWall: () => void = () => {};

  /** `finished` is called once, after the answer was posted: the place to restore the instance. */
  constructor(request: RunRequest, instance: Instance, env: RunEnvironment, finished: (run: Run) => void) {
    this.number = request.number;
    this.#request = request;
    this.#instance = instance;
    this.#env = env;
    this.#finished = finished;
    this.#world = request.world;
    this.#clock = new CallClock(request.number, request.limits, env);
    this.#log = new CallLog(request.limits.logBytes, (lines) => env.post({ type: "logs", number: this.number, lines }));
    instance.host = this.#guestHost();
  }

  start(): void {
    this.#enter(() => this.#instance.callEntry("invoke", this.#request.words, this.#outputBytes));
    // Most calls are over by now and need no timer.
    if (!this.#over) this.#cancelWall = this.#env.after(this.#clock.wallEnd - this.#env.now(), () => this.#finish(this.#clock.wallFault));
  }

  /** Settles an asynchronous operation. */
  answer(operation: number, answer: string, bytes: Uint8Array | undefined): void {
    if (this.#over || !this.#pending.has(operation)) return;
    if (this.#world?.order === undefined) return this.#settle(operation, answer, bytes);
    this.#world.order.arrived(operation, answer, bytes);
    this.#follow(this.#world.order);
  }

  #settle(operation: number, answer: string, bytes: Uint8Array | undefined): void {
    if (this.#pending.get(operation) === "host") this.#pendingAtHost--;
    this.#pending.delete(operation);
    this.#use.carried(answer, bytes);
    this.#world?.answerEnters(operation);
    this.#enter(() => {
      this.#instance.settle(operation, answer, bytes);
      return undefined;
    });
  }

  /** Fires the guest's abort signal. */
  abort(): void {
    if (this.#over) return;
    this.#world?.abortEnters();
    this.#enter(() => {
      this.#instance.callEntry("abort", [], STATUS_BYTES);
      return undefined;
    });
  }

  end(): void {
    this.#finish({ kind: "cancelled" });
  }

  /** Enters the guest, runs it until nothing is left to do now, and acts on where the call stands. */
  #enter(step: () => string | undefined): void {
    if (this.#over) return;
    this.#cancelTimer();
    this.#clock.enter();
    let status = "";
    try {
      const first = step();
      const ran = this.#drainJobs();
      status = first !== undefined && ran === 0 ? first : this.#instance.callEntry("poll", [], this.#outputBytes);
    } catch (error) {
      this.#stop ??= engineFault(error, this.#facts);
    } finally {
      this.#clock.leave();
    }
    if (this.#world?.differs === true) this.#stop ??= DIFFERS;
    if (this.#stop !== undefined) this.#finish(this.#stop);
    else this.#proceed(status);
  }

  /** @returns how many jobs ran. */
  #drainJobs(): number {
    let total = 0;
    while (this.#stop === undefined) {
      const ran = this.#instance.runJobs(JOBS_A_SLICE);
      total += ran;
      if (ran < JOBS_A_SLICE) break;
      this.#check();
    }
    return total;
  }

  /** Acts on where the call stands. */
  #proceed(text: string): void {
    const status = readStatus(text);
    switch (status.kind) {
      case "waiting":
        this.#use.timers(status.timers);
        return this.#wait(status.timerMs);
      case "done":
        return this.#complete(status.output);
      case "error":
        return this.#finish(thrownFault(status.error, status.unhandled, this.#facts));
      case "fault":
        return this.#finish(unwrittenFault(status.fault, this.#facts));
    }
  }

  #wait(timerMs: number | undefined): void {
    if (timerMs === undefined && this.#pending.size === 0) return this.#finish(unsettledFault(this.#facts));
    this.#log.flush();
    this.#timerMs = timerMs;
    if (this.#world?.order !== undefined) return this.#follow(this.#world.order);
    if (timerMs === undefined) return undefined;
    this.#cancelTimer = this.#env.after(timerMs, () => this.#runTimers());
    return undefined;
  }

  #runTimers(): void {
    this.#world?.timersEnter(this.#timerMs ?? 0);
    this.#enter(() => {
      this.#instance.callEntry("runTimers", [], STATUS_BYTES);
      return undefined;
    });
  }

  /** What enters the guest is not left to chance. A loop: each entry leads here again. */
  #follow(order: EntryOrder): void {
    if (this.#following) return;
    this.#following = true;
    while (!this.#over) {
      const step = order.next(this.#timerMs);
      if (step.kind === "later") {
        this.#hurryLater(order, step.hurryMs);
        break;
      }
      if (step.kind === "timers") this.#runTimers();
      else if (step.kind === "abort") this.abort();
      else if (step.kind === "answer") this.#settle(step.id, step.answer, step.bytes);
      else this.#finish(step.fault);
    }
    this.#following = false;
  }

  #hurryLater(order: EntryOrder, hurryMs: number | undefined): void {
    this.#cancelTimer();
    if (hurryMs === undefined) return;
    this.#cancelTimer = this.#env.after(hurryMs, () => {
      order.hurry();
      this.#follow(order);
    });
  }

  #complete(output: string): void {
    if (this.#over) return;
    const { outputBytes, jsonDepth } = this.#request.limits;
    const bytes = this.#instance.values.lastTextBytes - 1;
    if (bytes > outputBytes) return this.#finish({ kind: "exhausted", limit: "output", allowed: outputBytes });
    // The prelude wraps the output once (`guest/protocol.ts`).
    if (this.#use.nests(output, jsonDepth, 1) > jsonDepth)
      return this.#finish({ kind: "exhausted", limit: "jsonDepth", allowed: jsonDepth });
    const used = this.#used(bytes);
    const state = this.#request.capture?.(this.#instance);
    if (state !== undefined && state.pages.byteLength > MAXIMUM_STATE_BYTES) {
      return this.#finish({ kind: "exhausted", limit: "memory", allowed: MAXIMUM_STATE_BYTES });
    }
    this.#close();
    const kept = { ...this.#tape, ...(state === undefined ? {} : { state }) };
    this.#env.post({ type: "done", number: this.number, output, used, lines: this.#log.unsent, ...kept });
    this.#finished(this);
  }

  #finish(fault: Fault): void {
    if (this.#over) return;
    this.#close();
    this.#world?.stopped(fault, this.#instance.fuelSpent);
    this.#env.post({ type: "failed", number: this.number, fault, used: this.#used(0), lines: this.#log.unsent, ...this.#tape });
    this.#finished(this);
  }

  #close(): void {
    this.#over = true;
    this.#cancelTimer();
    this.#cancelWall();
    this.#subtle?.close();
  }

  get #tape(): { readonly tape?: KeptTape } {
    const tape = this.#world?.tape;
    return tape === undefined ? {} : { tape };
  }

  /** Whether the guest must stop now, and why. */
  #check(): boolean {
    if (this.#stop !== undefined) return true;
    const fault = this.#clock.check();
    this.#stop = this.#world === undefined ? fault : this.#world.check(fault, this.#instance.fuelSpent);
    return this.#stop !== undefined;
  }

  #used(outputBytes: number): InvocationUsed {
    const [, , args] = this.#request.words;
    const stackBytes = this.#instance.usedStackBytes;
    return {
      wallMs: this.#clock.wallMs,
      cpuMs: this.#clock.cpuMs,
      memoryBytes: this.#instance.usedBytes,
      outputBytes,
      logBytes: this.#log.bytes,
      operations: this.#operations,
      argumentBytes: utf8Length(args, args.length * 3 - 1),
      ...this.#use.most,
      ...(stackBytes !== undefined && { stackBytes }),
      fuel: this.#instance.fuelSpent,
    };
  }

  #guestHost(): GuestHost {
    return {
      hostCall: (id, operation, text, bytes) => this.#hostCall(id, operation, text, bytes),
      shouldInterrupt: () => this.#check(),
      now: () => (this.#world ?? this.#env).epoch(),
      moduleSource: (name) => this.#request.modules.source(name),
      moduleName: (base, name) => this.#request.modules.resolve(base, name),
    };
  }

  #hostCall(
    id: number,
    operation: string,
    text: string,
    bytes: Uint8Array | undefined,
  ): { answer: string | undefined; bytes?: Uint8Array } {
    // The engine looks at the clock now and then only: until it does, a guest may go on after what ended it.
    if (this.#stop !== undefined) return ENDED;
    const local = LOCAL_OPERATIONS.get(operation);
    if (local !== undefined) {
      this.#local ??= { ...(this.#world ?? this.#env).local, isOver: () => this.#check() };
      const answer = local(text, bytes, this.#local);
      // The engine asks after some thousand steps, and each of them may be one of these.
      return this.#check() ? ENDED : answer;
    }
    const { limits } = this.#request;
    if (operation === "log") return this.#log.add(text) ? { answer: "vnull" } : this.#exhaust("logs", limits.logBytes);
    if (operation === "timers") return this.#exhaust("timers", limits.timers);
    this.#operations++;
    if (this.#operations > limits.operations) return this.#exhaust("operations", limits.operations);
    if (text.length > OPERATION_TEXT_BYTES || (bytes?.length ?? 0) > limits.operationBytes)
      return this.#exhaust("operationBytes", limits.operationBytes);
    if (this.#use.nests(text, limits.jsonDepth) > limits.jsonDepth) return this.#exhaust("jsonDepth", limits.jsonDepth);
    this.#use.carried(text, bytes);
    if (id === 0 && operation.startsWith(SUBTLE_PREFIX)) return errorAnswer("NotSupported", "Cryptography answers later");
    if (id === 0) return this.#callAndWait(operation, text, bytes);
    if (operation.startsWith(SUBTLE_PREFIX)) return this.#beginSubtle(id, { method: operation.slice(SUBTLE_PREFIX.length), text, bytes });
    if (this.#pendingAtHost >= limits.pendingOperations) return this.#exhaust("pendingOperations", limits.pendingOperations);
    this.#begin(id, "host");
    this.#ask(id, operation, text, bytes);
    return { answer: undefined };
  }

  #begin(id: number, where: "host" | "crypto"): void {
    this.#pending.set(id, where);
    if (where === "host") this.#use.pending(++this.#pendingAtHost);
    this.#world?.asked(id);
  }

  /** Its time counts as the call's own: the threads that do the work are the host's. */
  #beginSubtle(id: number, request: SubtleCallRequest): { answer: string | undefined } {
    const open = (): SubtleCall => this.#env.openSubtle(this.number);
    this.#subtle ??= this.#world === undefined ? open() : this.#world.openSubtle(open);
    const begun = this.#subtle.begin(request, ({ answer, bytes }, elapsedMs) => {
      const fault = this.#clock.charge(elapsedMs);
      if (fault === undefined) this.answer(id, answer, bytes);
      else this.#finish(fault);
    });
    if (!begun) return this.#exhaust("pendingOperations", this.#request.limits.pendingOperations);
    this.#begin(id, "crypto");
    return { answer: undefined };
  }

  #callAndWait(operation: string, text: string, bytes: Uint8Array | undefined): { answer: string; bytes?: Uint8Array } {
    // Where the tape's call was ended while it waited, no answer will come.
    if (this.#world !== undefined && this.#check()) return ENDED;
    const answer = this.#clock.waiting(() => {
      this.#ask(0, operation, text, bytes);
      return this.#env.waitForAnswer(this.number, this.#clock.wallEnd);
    });
    if (answer !== undefined) {
      this.#use.carried(answer.answer, answer.bytes);
      return answer;
    }
    if (!this.#check()) this.#stop = { kind: "cancelled" };
    return ENDED;
  }

  /** What was logged before comes first. */
  #ask(operation: number, name: string, text: string, bytes: Uint8Array | undefined): void {
    this.#log.flush();
    this.#env.post({ type: "operation", number: this.number, operation, name, text, ...(bytes === undefined ? {} : { bytes }) });
  }

  #exhaust(limit: ExhaustedLimit, allowed: number): { answer: string } {
    this.#stop ??= { kind: "exhausted", limit, allowed };
    return errorAnswer("RangeError", `The call's limit is used up: ${limit} (${allowed})`);
  }

  get #facts(): CallFacts {
    const { limits, modules } = this.#request;
    return { limits, modules, memoryExhausted: this.#instance.memoryExhausted };
  }

  get #outputBytes(): number {
    return this.#request.limits.outputBytes + STATUS_BYTES;
  }
}

function errorAnswer(name: string, message: string): { answer: string } {
  return { answer: `e${JSON.stringify({ name, message })}` };
}

const ENDED = errorAnswer("Interrupted", "The call has ended");
