/** Jobs that the pool assigns to workers, with the host's state of them. */

import type { Answering } from "./answer-operation.ts";
import type { Fault, LoadWarning } from "../wire/fault.ts";
import { lateFault, loadWallMs } from "../wire/load-clock.ts";
import type { CallWords } from "../guest/call/protocol.ts";
import type { Image } from "../engine/image.ts";
import type { Invocation, InvocationOutcome, InvocationUsed, LoadOutcome, PluginSource } from "../wire/invocation.ts";
import type { FrozenOperation } from "../wire/frozen-call.ts";
import type { RestingCall } from "../wire/resting-call.ts";
import type { Brought } from "../wire/untaken.ts";
import type { Thread } from "./thread.ts";

/** A loaded plugin: its image, and how many calls use it. */
export interface LoadedPlugin {
  readonly source: PluginSource;
  readonly image: Image;
  readonly warnings: readonly LoadWarning[];
  users: number;
  /** Typical duration of recent calls in milliseconds; undefined before the first. */
  typicalMs: number | undefined;
  /** True if the plugin is dropped when its last call ends. */
  unloading: boolean;
}

interface JobBase {
  readonly number: number;
  /** The job's worker; undefined while it waits for one. */
  thread: Thread | undefined;
  givenAt: number;
  /** Milliseconds that its worker was seen to run no guest without starting the job. */
  idleMs: number;
  /** Milliseconds of the host's own time that its guest was seen to run after its deadline. */
  overdueMs: number;
  /** Time when the worker was first seen to have started the job. Wall time counts from here. */
  begunAt: number | undefined;
  /** Number of times its worker ended while the job ran, or ended without a guilty job. */
  attempts: number;
}

interface LoadJob extends JobBase {
  readonly kind: "load";
  readonly source: PluginSource;
  readonly settle: (outcome: LoadOutcome) => void;
}

export interface CallJob extends JobBase {
  readonly kind: "call";
  readonly plugin: LoadedPlugin;
  readonly invocation: Invocation;
  readonly words: CallWords;
  /** State to start with, if the plugin keeps state and has any yet. */
  readonly state: { readonly image?: Image } | undefined;
  /** Takes the outcome, and the state that the call leaves for the next one. */
  readonly settle: (outcome: InvocationOutcome, state?: Image) => void;
  /** Number of host operations and log lines that have had an effect. A call with effects is never run again (SPEC B10). */
  effects: number;
  /** Number of those effects that are host operations. */
  operations: number;
  /** Number of times a worker had no memory for the call. */
  refusals: number;
  /** Cost of the lines that arrived. */
  logBytes: number;
  pendingOperations: number;
  /** Number of operations that wait for a confirmation, and the total milliseconds with at least one. */
  asking: number;
  askingMs: number;
  /** Time at which the grace period of a cancellation ends. */
  cancelBy: number | undefined;
  /** The resting call, if its worker has laid it out, as far as the host knows; and how often it was laid out. */
  rest: Rest | undefined;
  rests: number;
  /** Number of operation answers sent to its worker. */
  answers: number;
  readonly answering: Pick<Answering, "answer">;
  /** Operations of a call that can be frozen that wait for a user, by the guest's id. */
  asked: Map<number, Omit<FrozenOperation, "operation">> | undefined;
  /** True while the call's frozen bytes are up to date (`frozen-jobs.ts`). */
  isFrozen: boolean;
  /** Time of its last freeze in this process. */
  frozenAt: number | undefined;
}

/** A call that its worker laid out. */
export interface Rest {
  readonly call: RestingCall;
  /** Answers sent since the call was laid out. They are sent again if another worker resumes it. */
  readonly answers: Said[];
  /** True if the host has claimed the call: no worker runs it, or a worker that has not resumed it yet. */
  isClaimed: boolean;
}

export interface Said {
  readonly operation: number;
  readonly answer: string;
  readonly brought: Brought | undefined;
}

export type Job = LoadJob | CallJob;

/** Returns the wall limit of a job, for the watchdog. */
export function wallMsOf(job: Job): number {
  return job.kind === "call" ? job.invocation.limits.wallMs : loadWallMs(job.source.loadMs);
}

/** Returns the wall limit plus the time spent waiting for confirmations (SPEC E7). */
export function lastingMsOf(job: Job): number {
  return wallMsOf(job) + (job.kind === "call" ? job.askingMs : 0);
}

export function cpuMsOf(job: Job): number {
  return job.kind === "call" ? job.invocation.limits.cpuMs : job.source.loadMs;
}

/** Returns the usage of a job whose worker can no longer report it: times and operations; other figures are 0. */
export function usedUntil(job: Job, now: number, cpuMs: number): InvocationUsed {
  return {
    wallMs: job.begunAt === undefined ? 0 : Math.max(0, now - job.begunAt - (job.kind === "call" ? job.askingMs : 0)),
    cpuMs,
    memoryBytes: 0,
    outputBytes: 0,
    logBytes: 0,
    operations: job.kind === "call" ? job.operations : 0,
    fuel: 0,
  };
}

/** Answers a job with a fault of its own kind. */
export function settleWithFault(job: Job, fault: Fault, used: InvocationUsed): void {
  if (job.kind === "call") return job.settle({ ok: false, fault, used });
  const late = lateFault(fault);
  if (late !== undefined) return job.settle({ ok: false, fault: late });
  return job.settle({
    ok: false,
    fault: { kind: "trap", message: fault.kind === "trap" ? fault.message : "The worker that loaded the plugin was ended" },
  });
}

/** Shorter than waking a thread takes. */
const BRIEF_MS = 0.1;

/** True for a call that usually takes less time than waking another thread. */
export function isBrief(job: Job): boolean {
  return job.kind === "call" && job.plugin.typicalMs !== undefined && job.plugin.typicalMs < BRIEF_MS;
}

/** Returns the plugin's name. */
export function nameOf(job: Job): string {
  return job.kind === "call" ? job.plugin.source.name : job.source.name;
}

/** Returns the plugin's hash. */
export function digestOf(job: Job): string {
  return job.kind === "call" ? job.invocation.digest : job.source.digest;
}
