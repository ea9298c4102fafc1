/** One process as the host sees it: its stream, its plugins, and its jobs. */

import type { Answering, AskingCall } from "../pool/answer-operation.ts";
import type { LoggingCall } from "../pool/call-outcome.ts";
import type { InvocationOutcome, LoadOutcome, PluginSource } from "../wire/invocation.ts";
import { type Brought, Untaken } from "../wire/untaken.ts";
import { encodeFrame, FrameError, FrameReader } from "./frames.ts";
import { LEAST_BOUNDS, readMessage, withCall } from "./messages.ts";
import type { ProcessConnection } from "./port.ts";
import type { ProcessMessage, ProcessRequest } from "./protocol.ts";
import { toConditionsText } from "./tape-text.ts";

interface JobBase {
  readonly number: number;
  /** The job's process. */
  thread: Child | undefined;
  /** Number of processes that ended while they had the job. */
  attempts: number;
  givenAt: number;
}

interface ProcessLoad extends JobBase {
  readonly kind: "load";
  readonly source: PluginSource;
  readonly settle: (outcome: LoadOutcome) => void;
}

export interface ProcessCall extends JobBase, AskingCall, LoggingCall {
  readonly kind: "call";
  readonly source: PluginSource;
  thread: Child | undefined;
  readonly settle: (outcome: InvocationOutcome) => void;
}

export type ProcessJob = ProcessLoad | ProcessCall;

interface ChildListener {
  onMessage(child: Child, message: ProcessMessage): void;
  /** Called once when the process ended, or has to be ended. `overdue` contains the jobs that exceeded their limit. */
  onLost(child: Child, why: string, overdue: ReadonlySet<ProcessJob>): void;
}

/** Maximum number of bytes that wait for a process that does not read. */
const MAXIMUM_UNSENT_BYTES = 512 * 1024 * 1024;
/** Maximum number of consecutive messages about unknown jobs. Far more than can be in flight when a call ends. */
const MAXIMUM_UNHEARD = 100_000;

export class Child implements Answering {
  /** True once the process has reported that it is ready. */
  ready = false;
  /** True if the process was sent a plugin, which may have compromised it. */
  hasPlugins = false;
  /** Number of pings since its last message, and since its last progress. */
  askedInSilence = 0;
  askedInVain = 0;
  readonly digests: Set<string> = new Set();
  readonly jobs: Map<number, ProcessJob> = new Map();
  readonly #connection: ProcessConnection;
  readonly #listener: ChildListener;
  readonly #now: () => number;
  #unheard = 0;
  readonly #untaken: Untaken = new Untaken();
  /** Bounds of incoming frames. Never reduced, because messages of an answered call may still be in flight. */
  #bounds = LEAST_BOUNDS;
  #isWanted: boolean;
  #lost = false;

  /** @param isWanted true if a caller waits for the process; otherwise its start does not keep the host's process alive */
  constructor(connection: ProcessConnection, now: () => number, isWanted: boolean, listener: ChildListener) {
    this.#connection = connection;
    this.#listener = listener;
    this.#now = now;
    this.#isWanted = isWanted;
    const reader = new FrameReader(() => this.#bounds);
    connection.onData((chunk) => this.#read(reader, chunk));
    connection.onExit((reason) => this.lose(reason));
    this.#keepAlive();
  }

  send(request: ProcessRequest, parts: readonly Uint8Array[] = []): void {
    if (this.#lost) return;
    this.#connection.send(encodeFrame(request, parts));
    if (this.#connection.unsentBytes > MAXIMUM_UNSENT_BYTES) this.lose("The sandbox's process does not read its input");
  }

  /** Assigns a job, after sending its plugin if the process does not have it. */
  give(job: ProcessJob): void {
    if (this.jobs.size === 0) this.askedInVain = 0;
    job.thread = this;
    job.givenAt = this.#now();
    this.jobs.set(job.number, job);
    this.#keepAlive();
    if (job.kind === "load") return this.#sendPlugin(job.number, job.source);
    // Happens after another process has ended. Only the call behind this load needs its result.
    if (!this.digests.has(job.source.digest)) this.#sendPlugin(0, job.source);
    const { hostCall: _hostCall, onLogs: _onLogs, signal: _signal, conditions, ...plain } = job.invocation;
    const invocation = { ...plain, ...(conditions !== undefined && { conditions: toConditionsText(conditions) }) };
    this.#bounds = withCall(this.#bounds, job.invocation);
    this.send({ type: "call", number: job.number, invocation });
  }

  #sendPlugin(number: number, { files, modules, ...source }: PluginSource): void {
    this.hasPlugins = true;
    this.digests.add(source.digest);
    this.send({ type: "load", number, source, files: [...files.keys()], modules: [...modules] }, [...files.values()]);
  }

  /** Records that a job was answered. */
  settle(number: number): void {
    this.jobs.delete(number);
    this.askedInVain = 0;
    this.#keepAlive();
  }

  unload(digest: string): void {
    if (this.digests.delete(digest)) this.send({ type: "unload", digest });
  }

  answer(number: number, operation: number, answer: string, brought?: Brought): void {
    this.askedInVain = 0;
    if (this.#lost) return brought?.taken();
    if (brought !== undefined) this.#untaken.sent(number, operation, brought);
    this.send({ type: "answer", number, operation, answer }, brought === undefined ? [] : [brought.bytes]);
  }

  /** Answers an operation. In a process every operation has a number, so none is synchronous. */
  answerSync(number: number, answer: string, brought?: Brought): void {
    this.answer(number, 0, answer, brought);
  }

  /** Sends a ping. */
  ask(): void {
    this.askedInSilence++;
    this.askedInVain++;
    this.send({ type: "ping" });
  }

  /** Kills the process and passes its jobs to the listener. */
  lose(why: string, overdue: ReadonlySet<ProcessJob> = new Set()): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#untaken.end();
    void this.#connection.kill();
    this.#listener.onLost(this, why, overdue);
  }

  /** Kills the process without calling the listener. Resolves when it has ended. */
  async end(): Promise<void> {
    this.#lost = true;
    this.#untaken.end();
    await this.#connection.kill();
  }

  /** Counts a message about an unknown job. */
  unheard(): void {
    if (++this.#unheard > MAXIMUM_UNHEARD) this.lose("The sandbox's process sent too many unexpected messages");
  }

  #read(reader: FrameReader, chunk: Uint8Array): void {
    this.askedInSilence = 0;
    try {
      for (const frame of reader.push(chunk)) {
        // An earlier message may have ended the process.
        if (this.#lost) return;
        const message = readMessage(frame);
        // An honest process never sends this, so the process is compromised.
        if (message === undefined) return this.lose("The sandbox's process sent an invalid message");
        if (message.type === "ready") this.#becomeReady();
        const before = this.#unheard;
        if (message.type === "taken") {
          if (!this.#untaken.taken(message.number, message.operation)) this.unheard();
        } else this.#listener.onMessage(this, message);
        if (this.#unheard === before) this.#unheard = 0;
      }
    } catch (error) {
      // End the process for any error: jobs must not wait forever, and the host's process must survive.
      const why = error instanceof FrameError ? `broke its stream: ${error.message}` : `sent a message that failed: ${String(error)}`;
      this.lose(`The sandbox's process ${why}`);
    }
  }

  #becomeReady(): void {
    this.ready = true;
    this.#isWanted = false;
    this.#keepAlive();
  }

  #keepAlive(): void {
    if (!this.#lost) this.#connection.keepAlive(this.#isWanted || this.jobs.size > 0);
  }
}
