/** One process as the host sees it: its stream, what it was sent, and the jobs that are on it. */

import type { Answering, AskingCall } from "../call/answer-operation.ts";
import type { LoggingCall } from "../call/call-outcome.ts";
import type { InvocationOutcome, LoadOutcome, PluginSource } from "../invocation.ts";
import { type Brought, Untaken } from "../worker/untaken.ts";
import { encodeFrame, FrameError, FrameReader } from "./frames.ts";
import { LEAST_BOUNDS, readMessage, withCall } from "./messages.ts";
import type { ProcessConnection } from "./port.ts";
import type { ProcessMessage, ProcessRequest } from "./protocol.ts";
import { toWorldText } from "./tape-text.ts";

interface JobBase {
  readonly number: number;
  /** Where it is. */
  thread: Child | undefined;
  /** How often its process ended under it. */
  attempts: number;
  givenAt: number;
}

export interface ProcessLoad extends JobBase {
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

export interface ChildListener {
  onMessage(child: Child, message: ProcessMessage): void;
  /** It ended, or has to be. Called once. `overdue`: jobs that it kept for longer than they may take. */
  onLost(child: Child, why: string, overdue: ReadonlySet<ProcessJob>): void;
}

/** What may wait for a process that does not read. */
const MAXIMUM_UNSENT_BYTES = 512 * 1024 * 1024;
/** Messages about nothing that is on it, in a row: what is under way when a call ends is far less. */
const MAXIMUM_UNHEARD = 100_000;

export class Child implements Answering {
  /** It has said so itself. */
  ready = false;
  /** Something was sent to it that it may be subverted by. */
  hasPlugins = false;
  /** How often it was asked since it last said anything, and since it last got anywhere. */
  askedInSilence = 0;
  askedInVain = 0;
  readonly digests: Set<string> = new Set();
  readonly jobs: Map<number, ProcessJob> = new Map();
  readonly #connection: ProcessConnection;
  readonly #listener: ChildListener;
  readonly #now: () => number;
  #unheard = 0;
  readonly #untaken: Untaken = new Untaken();
  /** Never narrowed: what a call that is answered still says is under way. */
  #bounds = LEAST_BOUNDS;
  #isWanted: boolean;
  #lost = false;

  /** @param isWanted whether somebody waits for it to be ready: a start that nobody waits for keeps no process alive */
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
    if (this.#connection.unsentBytes > MAXIMUM_UNSENT_BYTES) this.lose("The sandbox's process does not read what it is sent");
  }

  /** Gives a job, and before it the plugin if that is not there yet. */
  give(job: ProcessJob): void {
    if (this.jobs.size === 0) this.askedInVain = 0;
    job.thread = this;
    job.givenAt = this.#now();
    this.jobs.set(job.number, job);
    this.#keepAlive();
    if (job.kind === "load") return this.#sendPlugin(job.number, job.source);
    // After another process has ended: nobody waits for this answer but the call behind it.
    if (!this.digests.has(job.source.digest)) this.#sendPlugin(0, job.source);
    const { hostCall: _hostCall, onLogs: _onLogs, signal: _signal, world, ...plain } = job.invocation;
    const invocation = { ...plain, ...(world !== undefined && { world: toWorldText(world) }) };
    this.#bounds = withCall(this.#bounds, job.invocation);
    this.send({ type: "call", number: job.number, invocation });
  }

  #sendPlugin(number: number, { files, modules, ...source }: PluginSource): void {
    this.hasPlugins = true;
    this.digests.add(source.digest);
    this.send({ type: "load", number, source, files: [...files.keys()], modules: [...modules] }, [...files.values()]);
  }

  /** The job is answered. */
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

  /** Inside, every operation has a number. */
  answerSync(number: number, answer: string, brought?: Brought): void {
    this.answer(number, 0, answer, brought);
  }

  /** Asks whether it is there. */
  ask(): void {
    this.askedInSilence++;
    this.askedInVain++;
    this.send({ type: "ping" });
  }

  /** Nothing more is heard of it. Its jobs are the listener's. */
  lose(why: string, overdue: ReadonlySet<ProcessJob> = new Set()): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#untaken.end();
    void this.#connection.kill();
    this.#listener.onLost(this, why, overdue);
  }

  /** Ends it without a word to the listener, and resolves when it is gone. */
  async end(): Promise<void> {
    this.#lost = true;
    this.#untaken.end();
    await this.#connection.kill();
  }

  /** Says of a message that it was about nothing here. */
  unheard(): void {
    if (++this.#unheard > MAXIMUM_UNHEARD) this.lose("The sandbox's process says too much");
  }

  #read(reader: FrameReader, chunk: Uint8Array): void {
    this.askedInSilence = 0;
    try {
      for (const frame of reader.push(chunk)) {
        // A message before may have been reason enough.
        if (this.#lost) return;
        const message = readMessage(frame);
        // Nothing of ours says such a thing, so it is ours no longer.
        if (message === undefined) return this.lose("The sandbox's process said something that is no message");
        if (message.type === "ready") this.#becomeReady();
        const before = this.#unheard;
        if (message.type === "taken") {
          if (!this.#untaken.taken(message.number, message.operation)) this.unheard();
        } else this.#listener.onMessage(this, message);
        if (this.#unheard === before) this.#unheard = 0;
      }
    } catch (error) {
      // Whatever it is, what waits for an answer must not wait for ever, and the host's process is not to end by it.
      const why =
        error instanceof FrameError ? `broke its stream: ${error.message}` : `said what could not be dealt with: ${String(error)}`;
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
