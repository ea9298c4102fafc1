/**
 * One call inside a worker: drives the guest from `invoke` to an output or a fault, through microtasks, timers and operations, and
 * enforces its limits.
 */

import type { Limits } from "../../../manifests/mod.ts";
import { CallClock } from "./call-clock.ts";
import { type CallFacts, engineFault, thrownFault, unsettledFault, unwrittenFault } from "./call-faults.ts";
import { CallLog } from "./call-log.ts";
import { AWAITED_OPERATION, CallOperations, type OperatingCall } from "./call-operations.ts";
import { CallUse, usedBy } from "./call-use.ts";
import type { OpenConditions } from "../tape/call-conditions.ts";
import type { Fault } from "../../wire/fault.ts";
import type { GuestHost } from "../../engine/guest-host.ts";
import type { EntryOrder } from "../tape/entry-order.ts";
import { toldState } from "../../wire/told-state.ts";
import type { InvocationUsed } from "../../wire/invocation.ts";
import { guestTurn, type Step, type TurningCall } from "./guest-turn.ts";
import type { CallState } from "../../wire/resting-call.ts";
import type { RunEnvironment, RunRequest } from "./run-request.ts";
import { readStatus } from "../../wire/status.ts";
import { toldOutput } from "./large-output.ts";
import type { Observed } from "../../wire/observed.ts";
import type { KeptTape } from "../../wire/tape.ts";
import { type Observer, openObserver } from "../tape/observer.ts";
import { DIFFERS } from "../tape/tape-order.ts";
import type { Steps } from "../../engine/steps.ts";
import { Fiber } from "../fiber.ts";
import type { Lease } from "../lease.ts";

/** Maximum bytes of a status other than an output: errors (bounded by the prelude) and names of exports. */
const STATUS_BYTES = 65_536;

export class Run implements OperatingCall, TurningCall {
  readonly number: number;
  readonly clock: CallClock;
  readonly log: CallLog;
  readonly lease: Lease;
  readonly use: CallUse;
  readonly #env: RunEnvironment;
  readonly #host: GuestHost;
  readonly #request: RunRequest;
  readonly #finished: (run: Run) => void;
  readonly #operations: CallOperations;
  readonly #conditions: OpenConditions | undefined;
  readonly observer: Observer | undefined;
  readonly #fiber: Fiber;
  /** Fault that stops the guest. Set while the guest runs, applied when it has left the engine. */
  #stop: Fault | undefined;
  #over = false;
  /** Length of the last status in UTF-8. */
  #textBytes = 0;
  /** Delay until the guest's next timer, and the time at which it is due; undefined if there is none. */
  #timerMs: number | undefined;
  #timerAt: number | undefined;
  /** Number of host answers received. */
  #answers: number;
  #following = false;
  #cancelTimer: () => void = () => {};
  #cancelWall: () => void = NOTHING_TO_CANCEL;

  /** `finished` is called once, after the result was posted. The callee restores the instance. */
  constructor(request: RunRequest, lease: Lease, env: RunEnvironment, finished: (run: Run) => void) {
    this.number = request.number;
    this.#request = request;
    this.lease = lease;
    this.#env = env;
    this.#finished = finished;
    this.#conditions = request.conditions;
    this.observer = openObserver(request, lease, env);
    const { from } = request;
    this.clock = new CallClock(request.number, request.limits, env, from?.clock);
    this.log = new CallLog(request, env, from?.log);
    this.use = new CallUse(from?.use);
    this.#operations = new CallOperations(this, env, from?.operations);
    this.#answers = from?.answers ?? 0;
    this.#host = this.#guestHost();
    this.#fiber = new Fiber(env, { plugin: request.digest, lease, clock: this.clock, suspended: () => this.#watchWall() });
  }

  get limits(): Limits {
    return this.#request.limits;
  }

  get files(): ReadonlyMap<string, Uint8Array> {
    return this.#request.files;
  }

  get conditions(): OpenConditions | undefined {
    return this.#conditions;
  }

  /** Starts the call, in the current slice of its plugin. */
  start(): void {
    this.#run((instance) => instance.callEntry("invoke", this.#request.words, this.statusBytes));
  }

  /** Resumes waiting in this worker for a call that began in another one. */
  goOn({ timerAt }: CallState): void {
    this.#rest(timerAt === undefined ? undefined : timerAt - this.#env.now());
  }

  /** Returns the state of a waiting call. Undefined if the call is not waiting, or if part of it belongs to this worker alone. */
  state(): CallState | undefined {
    const operations = this.#operations.state;
    if (operations === undefined || this.#conditions !== undefined || this.#over || this.#fiber.isBusy) return undefined;
    const { clock, log, use } = this;
    return { clock: clock.state, log: log.state, operations, use: use.most, timerAt: this.#timerAt, answers: this.#answers };
  }

  pauseWall(): void {
    this.clock.pause();
    this.#cancelWall();
    this.#cancelWall = NOTHING_TO_CANCEL;
  }

  resumeWall(): void {
    this.clock.resume();
    this.#watchWall();
  }

  /** Starts the wall timer, which only calls that leave the thread before they end need. Most do not. */
  #watchWall(): void {
    if (this.#cancelWall !== NOTHING_TO_CANCEL) return;
    const leftMs = this.clock.wallEnd - this.#env.now();
    if (leftMs < Infinity) this.#cancelWall = this.#env.after(leftMs, () => this.#finish(this.clock.wallFault));
  }

  /** Takes the host's answer to an operation. @param taken called once the bytes are in the guest, or will never be */
  answered(operation: number, answer: string, bytes: Uint8Array | undefined, taken: () => void): void {
    this.#answers++;
    this.answer(operation, answer, bytes, taken);
  }

  /** Settles an operation. */
  answer(operation: number, answer: string, bytes: Uint8Array | undefined, taken?: () => void): void {
    const isAwaited = operation === AWAITED_OPERATION && this.#operations.isAwaiting;
    if (this.#over || !(isAwaited || this.#operations.isPending(operation))) return taken?.();
    if (taken !== undefined) this.#operations.holds(operation, taken);
    if (isAwaited) {
      this.#operations.arrived({ answer, ...(bytes !== undefined && { bytes }) });
      return this.#fiber.wake();
    }
    if (this.#conditions?.order === undefined) return this.#settle(operation, answer, bytes);
    this.#conditions.order.arrived(operation, answer, bytes);
    this.#follow(this.#conditions.order);
  }

  #settle(operation: number, answer: string, bytes: Uint8Array | undefined): void {
    this.#enter((instance) => {
      const brought = this.#operations.settled(operation) ?? bytes;
      this.#conditions?.answerEnters(operation);
      this.use.carried(answer, brought);
      return instance.settle(operation, answer, brought);
    });
  }

  /** Fires the guest's abort signal. */
  abort(): void {
    this.#enter((instance) => {
      this.#conditions?.abortEnters();
      return quietly(instance.callEntry("abort", [], STATUS_BYTES));
    });
  }

  /** Ends the call: at once if its guest is outside the engine. */
  end(fault: Fault = { kind: "cancelled" }): void {
    this.#finish(fault);
  }

  /** True once the call has been told to end. */
  get isEnding(): boolean {
    return this.#over || this.#stop !== undefined;
  }

  /** Queues the next step in the guest. */
  #enter(step: Step): void {
    if (this.#over) return;
    this.#cancelTimer();
    this.#fiber.queue(() => this.#run(step));
  }

  /** Runs the guest until it has nothing left to do, then acts on its status. */
  #run(step: Step): void {
    if (!this.#env.resting.takeUp(this)) {
      this.#leave();
      return this.#env.scheduler.left();
    }
    const { instance } = this.lease;
    instance.host = this.#host;
    this.observer?.entered();
    this.#fiber.enter(
      guestTurn(step, instance, this),
      ({ status, bytes }) => {
        this.#textBytes = bytes;
        this.#left(status);
      },
      (error) => {
        this.#stop ??= engineFault(error, this.#facts);
        this.#left("");
      },
    );
  }

  /** Continues after the guest has left the engine. */
  #left(status: string): void {
    if (this.#conditions?.differs === true) this.#stop ??= DIFFERS;
    if (this.#stop !== undefined) this.#finish(this.#stop);
    else this.#proceed(status);
  }

  /** Acts on the status of the call. */
  #proceed(text: string): void {
    const status = readStatus(text);
    switch (status.kind) {
      case "waiting":
        this.use.timers(status.timers);
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
    if (timerMs === undefined && !this.#operations.isAnyPending) return this.#finish(unsettledFault(this.#facts));
    this.log.flush();
    this.#env.instances.rest(this.lease);
    // `rest` may end this call, if its guest holds too much memory.
    return this.#over ? undefined : this.#rest(timerMs);
  }

  #rest(timerMs: number | undefined): void {
    this.#timerMs = timerMs;
    this.#timerAt = timerMs === undefined ? undefined : this.#env.now() + timerMs;
    this.#watchWall();
    this.#env.resting.rests(this);
    if (this.#conditions?.order !== undefined) return this.#follow(this.#conditions.order);
    if (timerMs === undefined) return undefined;
    this.#cancelTimer = this.#env.after(timerMs, () => this.#runTimers());
    return undefined;
  }

  #runTimers(): void {
    const waitedMs = this.#timerMs ?? 0;
    this.#enter((instance) => {
      this.#conditions?.timersEnter(waitedMs);
      return quietly(instance.callEntry("runTimers", [], STATUS_BYTES));
    });
  }

  /** Enters the guest in the order of the recording. A loop, because each entry calls this method again. */
  #follow(order: EntryOrder): void {
    if (this.#following) return;
    this.#following = true;
    while (!this.#over && !this.#fiber.isBusy) {
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
    const { outputBytes, jsonDepth } = this.limits;
    const { instance } = this.lease;
    const bytes = this.#textBytes - 1;
    if (bytes > outputBytes) return this.#finish({ kind: "exhausted", limit: "output", allowed: outputBytes });
    // Depth 1 is the wrapper that the prelude adds (`guest/call/protocol.ts`).
    if (this.use.nests(output, jsonDepth, 1) > jsonDepth)
      return this.#finish({ kind: "exhausted", limit: "jsonDepth", allowed: jsonDepth });
    const used = this.#used(bytes);
    const left = this.#request.capture?.(instance);
    const told = toldOutput(output, bytes, this.#request.outputSchema);
    if (told.fault !== undefined) return this.#finish(told.fault);
    this.#close();
    this.#env.post({
      type: "done",
      number: this.number,
      ...told,
      used,
      lines: this.log.close(),
      ...this.#tape,
      ...(left && toldState(left)),
    });
    this.#finished(this);
  }

  #finish(fault: Fault): void {
    if (this.#over) return;
    // The guest is suspended inside the engine and stops at its next poll.
    if (this.#fiber.isInside) {
      this.#stop ??= fault;
      return this.#fiber.wake();
    }
    if (!this.#env.resting.takeUp(this)) return this.#leave();
    this.#close();
    this.#conditions?.stopped(fault, this.lease.fuelSpent);
    this.#env.post({ type: "failed", number: this.number, fault, used: this.#used(0), lines: this.log.close(), ...this.#tape });
    this.#finished(this);
  }

  /** Drops the call because another worker has claimed it. */
  #leave(): void {
    this.#close();
    this.#finished(this);
  }

  #close(): void {
    this.#over = true;
    this.#cancelTimer();
    this.#cancelWall();
    this.#fiber.close();
    this.#operations.close();
  }

  get #tape(): { readonly tape?: KeptTape; readonly observed?: Observed } {
    const tape = this.#conditions?.tape;
    return { ...(tape !== undefined && { tape }), ...(this.observer && { observed: this.observer.observed }) };
  }

  /** Checks whether the guest must stop now. Polled by the engine. */
  isStopped(): boolean {
    this.log.flushOld();
    this.#env.flush();
    if (this.#stop !== undefined) return true;
    const fault = this.clock.check();
    this.#stop = this.#conditions === undefined ? fault : this.#conditions.check(fault, this.lease.fuelSpent);
    return this.#stop !== undefined;
  }

  get stopped(): Fault | undefined {
    return this.#stop;
  }

  stop(fault: Fault): void {
    this.#stop ??= fault;
  }

  #used(outputBytes: number): InvocationUsed {
    return usedBy(this, { args: this.#request.words[2], operations: this.#operations.count, outputBytes });
  }

  #guestHost(): GuestHost {
    return {
      hostCall: (words, mayWait) => this.#operations.ask(words, mayWait),
      awaited: () => this.#operations.awaited(),
      shouldInterrupt: () => {
        this.observer?.sampled();
        return this.isStopped();
      },
      shouldSuspend: () => this.#fiber.isSliceOver,
      suspended: () => this.#fiber.suspend(this.#operations.isAwaiting ? "woken" : "next turn"),
      now: () => (this.#conditions ?? this.#env).epoch(),
      moduleSource: (name) => this.#request.modules.source(name),
      moduleName: (base, name) => this.#request.modules.resolve(base, name),
    };
  }

  get #facts(): CallFacts {
    const { limits, modules } = this.#request;
    return { limits, modules, memoryExhausted: this.lease.instance.memoryExhausted };
  }

  get isCaptured(): boolean {
    return this.#request.capture !== undefined;
  }

  get statusBytes(): number {
    return this.limits.outputBytes + STATUS_BYTES;
  }
}

function* quietly(steps: Steps<string>): Steps<void> {
  yield* steps;
}

const NOTHING_TO_CANCEL = (): void => {};
