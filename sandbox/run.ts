/**
 * One call inside a worker: drives the guest from `invoke` to an output or a fault, through microtasks, timers and
 * operations, and keeps its limits.
 */

import { GUEST_STACK_BYTES, type Limits } from "../manifests/mod.ts";
import { CallClock, type ClockEnvironment } from "./call-clock.ts";
import type { ExhaustedLimit, Fault } from "./fault.ts";
import { GuestException, TextTooLong } from "./guest-values.ts";
import type { GuestHost, Instance } from "./instance.ts";
import { LOCAL_OPERATIONS, type LocalEnvironment } from "./local-operations.ts";
import { nestsWithin, OPERATION_TEXT_BYTES } from "./marshal.ts";
import type { Image } from "./image.ts";
import { MAXIMUM_STATE_BYTES } from "./session-states.ts";
import { authorStack, type ModuleTable } from "./modules.ts";
import type { InvocationUsed } from "./invocation.ts";
import { type ErrorStatus, readLogLine, readStatus } from "./status.ts";
import type { LogLine, SyncAnswer, WorkerMessage } from "./worker/protocol.ts";

/** What a run needs of its worker. */
export interface RunEnvironment extends ClockEnvironment {
  readonly local: LocalEnvironment;
  /** Milliseconds since the epoch. */
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
  post(message: WorkerMessage): void;
  /** Blocks the thread until the answer to call `number`'s synchronous operation, or `until`, or cancellation. */
  waitForAnswer(number: number, until: number): SyncAnswer | undefined;
}

export interface RunRequest {
  readonly number: number;
  /** `{ module, export, args, context }` as JSON text. */
  readonly request: string;
  readonly limits: Limits;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** For dynamic imports. */
  readonly modules: ModuleTable;
  /** Set where the plugin keeps its state: captures what the call leaves. */
  readonly capture?: (instance: Instance) => Image;
}

const JOBS_A_SLICE = 1_000;
/** Answers of the entry functions other than outputs: errors (bounded by the prelude), names of exports. */
const STATUS_BYTES = 65_536;
const LOG_FLUSH_BYTES = 16_384;

export class Run {
  readonly number: number;
  readonly #env: RunEnvironment;
  readonly #instance: Instance;
  readonly #request: RunRequest;
  readonly #finished: (run: Run) => void;
  readonly #clock: CallClock;
  readonly #pending: Map<number, string> = new Map();
  #operations = 0;
  #logBytes = 0;
  #unsentLogBytes = 0;
  #lines: LogLine[] = [];
  /** Why the guest must stop; set while it runs, acted upon when it has left the engine. */
  #stop: Fault | undefined;
  #over = false;
  #cancelTimer: () => void = () => {};
  #cancelWall: () => void = () => {};

  /** `finished` is called once, after the answer was posted: the place to restore the instance. */
  constructor(request: RunRequest, instance: Instance, env: RunEnvironment, finished: (run: Run) => void) {
    this.number = request.number;
    this.#request = request;
    this.#instance = instance;
    this.#env = env;
    this.#finished = finished;
    this.#clock = new CallClock(request.number, request.limits, env);
    instance.host = this.#guestHost();
  }

  start(): void {
    this.#enter(() => this.#instance.callEntry("invoke", [this.#request.request], this.#outputBytes));
    // Most calls are over by now and need no timer.
    if (!this.#over) this.#cancelWall = this.#env.after(this.#clock.wallEnd - this.#env.now(), () => this.#finish(this.#clock.wallFault));
  }

  /** Settles an asynchronous operation. */
  answer(operation: number, answer: string, bytes: Uint8Array | undefined): void {
    if (this.#over || !this.#pending.delete(operation)) return;
    this.#enter(() => {
      this.#instance.offerBytes(bytes);
      this.#instance.callEntry("settle", [operation, answer], STATUS_BYTES);
      return undefined;
    });
  }

  /** Fires the guest's abort signal. */
  abort(): void {
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
      this.#stop ??= this.#faultOf(error);
    } finally {
      this.#clock.leave();
    }
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
      this.#stop ??= this.#clock.check();
    }
    return total;
  }

  /** Acts on where the call stands. */
  #proceed(text: string): void {
    const status = readStatus(text);
    switch (status.kind) {
      case "waiting":
        return this.#wait(status.timerMs);
      case "done":
        return this.#complete(status.output);
      case "error":
        return this.#finish(this.#thrown(status.error, status.unhandled));
      case "fault":
        return this.#finish(this.#unwritten(status.fault));
    }
  }

  /** An output may be what memory or stack ran out on: writing it as JSON is the engine's work. */
  #unwritten(fault: Fault): Fault {
    return (fault.kind === "not_json" ? this.#engineFault("InternalError", fault.message) : undefined) ?? fault;
  }

  #wait(timerMs: number | undefined): void {
    if (timerMs === undefined && this.#pending.size === 0) return this.#finish(this.#engineFault("", "") ?? { kind: "never_settles" });
    this.#flushLogs();
    if (timerMs === undefined) return undefined;
    this.#cancelTimer = this.#env.after(timerMs, () =>
      this.#enter(() => {
        this.#instance.callEntry("runTimers", [], STATUS_BYTES);
        return undefined;
      }),
    );
    return undefined;
  }

  #complete(output: string): void {
    if (this.#over) return;
    const { outputBytes, jsonDepth } = this.#request.limits;
    const bytes = this.#instance.values.lastTextBytes - 1;
    if (bytes > outputBytes) return this.#finish({ kind: "exhausted", limit: "output", allowed: outputBytes });
    // The prelude wraps the output once (`guest/protocol.ts`).
    if (!nestsWithin(output, jsonDepth + 1)) return this.#finish({ kind: "exhausted", limit: "jsonDepth", allowed: jsonDepth });
    const used = this.#used(bytes);
    const state = this.#request.capture?.(this.#instance);
    if (state !== undefined && state.bytes.byteLength > MAXIMUM_STATE_BYTES) {
      return this.#finish({ kind: "exhausted", limit: "memory", allowed: MAXIMUM_STATE_BYTES });
    }
    this.#close();
    this.#env.post({ type: "done", number: this.number, output, used, lines: this.#lines, ...(state === undefined ? {} : { state }) });
    this.#finished(this);
  }

  #finish(fault: Fault): void {
    if (this.#over) return;
    this.#close();
    this.#env.post({ type: "failed", number: this.number, fault, used: this.#used(0), lines: this.#lines });
    this.#finished(this);
  }

  #close(): void {
    this.#over = true;
    this.#cancelTimer();
    this.#cancelWall();
  }

  #used(outputBytes: number): InvocationUsed {
    return {
      wallMs: this.#clock.wallMs,
      cpuMs: this.#clock.cpuMs,
      memoryBytes: this.#instance.usedBytes,
      outputBytes,
      logBytes: this.#logBytes,
      operations: this.#operations,
      fuel: this.#instance.fuelSpent,
    };
  }

  #guestHost(): GuestHost {
    return {
      hostCall: (id, operation, text, bytes) => this.#hostCall(id, operation, text, bytes),
      shouldInterrupt: () => {
        this.#stop ??= this.#clock.check();
        return this.#stop !== undefined;
      },
      now: () => this.#env.epoch(),
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
    const local = LOCAL_OPERATIONS.get(operation);
    if (local !== undefined) return local(text, bytes, this.#env.local);
    if (operation === "log") return this.#log(text);
    const { limits } = this.#request;
    this.#operations++;
    if (this.#operations > limits.operations) return this.#exhaust("operations", limits.operations);
    if (text.length > OPERATION_TEXT_BYTES || (bytes?.length ?? 0) > limits.operationBytes)
      return this.#exhaust("operationBytes", limits.operationBytes);
    if (!nestsWithin(text, limits.jsonDepth)) return this.#exhaust("jsonDepth", limits.jsonDepth);
    if (id === 0) return this.#callAndWait(operation, text, bytes);
    if (this.#pending.size >= limits.pendingOperations) return this.#exhaust("pendingOperations", limits.pendingOperations);
    this.#pending.set(id, operation);
    this.#flushLogs();
    this.#env.post({
      type: "operation",
      number: this.number,
      operation: id,
      name: operation,
      text,
      ...(bytes === undefined ? {} : { bytes }),
    });
    return { answer: undefined };
  }

  #callAndWait(operation: string, text: string, bytes: Uint8Array | undefined): { answer: string; bytes?: Uint8Array } {
    this.#flushLogs();
    const answer = this.#clock.waiting(() => {
      this.#env.post({
        type: "operation",
        number: this.number,
        operation: 0,
        name: operation,
        text,
        ...(bytes === undefined ? {} : { bytes }),
      });
      return this.#env.waitForAnswer(this.number, this.#clock.wallEnd);
    });
    if (answer !== undefined) return answer;
    this.#stop ??= this.#clock.check() ?? { kind: "cancelled" };
    return errorAnswer("Interrupted", "The call has ended");
  }

  #log(text: string): { answer: string } {
    const line = readLogLine(text);
    this.#logBytes += line[1].length;
    if (this.#logBytes > this.#request.limits.logBytes) return this.#exhaust("logs", this.#request.limits.logBytes);
    this.#lines.push(line);
    this.#unsentLogBytes += line[1].length;
    if (this.#unsentLogBytes > LOG_FLUSH_BYTES) this.#flushLogs();
    return { answer: "vnull" };
  }

  #flushLogs(): void {
    if (this.#lines.length === 0) return;
    this.#env.post({ type: "logs", number: this.number, lines: this.#lines });
    this.#lines = [];
    this.#unsentLogBytes = 0;
  }

  #exhaust(limit: ExhaustedLimit, allowed: number): { answer: string } {
    this.#stop ??= { kind: "exhausted", limit, allowed };
    return errorAnswer("RangeError", `The call's limit is used up: ${limit} (${allowed})`);
  }

  /** An exception that came out of the engine itself, not through the prelude. */
  #faultOf(error: unknown): Fault {
    const { limits } = this.#request;
    if (this.#instance.memoryExhausted) return { kind: "exhausted", limit: "memory", allowed: limits.memoryBytes };
    if (error instanceof TextTooLong) return { kind: "exhausted", limit: "output", allowed: limits.outputBytes };
    if (error instanceof GuestException) {
      const { name, message, stack } = error.guest;
      return this.#engineFault(name, message) ?? { kind: "threw", name, message, stack: authorStack(stack, this.#request.files) };
    }
    // V8's own stack ran out inside the engine (FACTS, stack).
    if (error instanceof RangeError) return { kind: "exhausted", limit: "stack", allowed: GUEST_STACK_BYTES };
    return { kind: "trap", message: error instanceof Error ? error.message : String(error) };
  }

  #thrown({ name, message, stack, toolError }: ErrorStatus, unhandled: boolean): Fault {
    const own = authorStack(stack, this.#request.files);
    const fault = this.#engineFault(name, message);
    if (fault !== undefined) return fault;
    if (unhandled) return { kind: "unhandled", name, message, stack: own };
    return { kind: "threw", name, message, stack: own, ...(toolError === undefined ? {} : { toolError }) };
  }

  /** QuickJS reports exhausted memory and stack as `InternalError`s, which a guest may also forge: harmless, it only harms itself. */
  #engineFault(name: string, message: string): Fault | undefined {
    if (this.#instance.memoryExhausted) return { kind: "exhausted", limit: "memory", allowed: this.#request.limits.memoryBytes };
    if (name !== "InternalError") return undefined;
    if (message === "stack overflow") return { kind: "exhausted", limit: "stack", allowed: GUEST_STACK_BYTES };
    if (message === "out of memory") return { kind: "exhausted", limit: "memory", allowed: this.#request.limits.memoryBytes };
    return undefined;
  }

  get #outputBytes(): number {
    return this.#request.limits.outputBytes + STATUS_BYTES;
  }
}

function errorAnswer(name: string, message: string): { answer: string } {
  return { answer: `e${JSON.stringify({ name, message })}` };
}
