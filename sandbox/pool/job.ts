/** Work that the pool gives to a worker, and what is known of it on the host's side. */

import type { Answering } from "../call/answer-operation.ts";
import type { Limits } from "../../manifests/mod.ts";
import type { Fault } from "../fault.ts";
import { lateFault, loadWallMs } from "../loading/load-clock.ts";
import type { CallWords } from "../guest/protocol.ts";
import type { Image } from "../image/image.ts";
import type { Invocation, InvocationOutcome, InvocationUsed, LoadOutcome, PluginSource } from "../invocation.ts";
import type { RestingCall } from "../call/resting-call.ts";
import type { Brought } from "../worker/untaken.ts";
import type { Thread } from "../worker/thread.ts";

/** A loaded plugin: its image and how many calls use it. */
export interface LoadedPlugin {
  readonly source: PluginSource;
  readonly image: Image;
  users: number;
  /** How long its calls have lately taken, in milliseconds; undefined before the first. */
  typicalMs: number | undefined;
  /** Forgotten when the last call ends. */
  unloading: boolean;
}

interface JobBase {
  readonly number: number;
  /** Where it is; undefined while it waits for a worker. */
  thread: Thread | undefined;
  givenAt: number;
  /** How long its worker was seen to run nothing and leave it. */
  idleMs: number;
  /** How long, of the host's own time, its guest was seen to run although its time was over. */
  overdueMs: number;
  /** When the worker was first seen to have taken it up; wall time counts from here. */
  begunAt: number | undefined;
  /** How often its worker ended while the job ran there, or ended without any other job's fault. */
  attempts: number;
}

export interface LoadJob extends JobBase {
  readonly kind: "load";
  readonly source: PluginSource;
  readonly settle: (outcome: LoadOutcome) => void;
}

export interface CallJob extends JobBase {
  readonly kind: "call";
  readonly plugin: LoadedPlugin;
  readonly invocation: Invocation;
  readonly words: CallWords;
  /** Set where the plugin keeps state: what the call begins with, if there is any yet. */
  readonly state: { readonly image?: Image } | undefined;
  /** `state` is what the call left, for the next one. */
  readonly settle: (outcome: InvocationOutcome, state?: Image) => void;
  /** Host operations and log lines that have already had an effect: such a call is never run again (SPEC B10). */
  effects: number;
  /** Of the effects, those that are host operations. */
  operations: number;
  /** How often a worker had no room for it. */
  refusals: number;
  /** Of the lines that arrived, each with its end. */
  logBytes: number;
  pendingOperations: number;
  /** Operations that wait for a person, and for how long there have been any. */
  asking: number;
  askingMs: number;
  /** When the grace period of a cancellation ends. */
  cancelBy: number | undefined;
  /** Set while it waits where its worker has laid it out, as far as the host has seen; and how often it was. */
  rest: Rest | undefined;
  rests: number;
  /** How many operations its worker was told the answer of. */
  answers: number;
  readonly answering: Pick<Answering, "answer">;
}

/** A call that its worker laid out. */
export interface Rest {
  readonly call: RestingCall;
  /** Answers to the call since it was laid out, to be sent again if another worker goes on with it. */
  readonly answers: Said[];
  /** The host has it: no worker does, or one that has not begun to go on with it. */
  isClaimed: boolean;
}

export interface Said {
  readonly operation: number;
  readonly answer: string;
  readonly brought: Brought | undefined;
}

export type Job = LoadJob | CallJob;

/** Limits of the job's time, for the watchdog. */
export function wallMsOf(job: Job): number {
  return job.kind === "call" ? job.invocation.limits.wallMs : loadWallMs(job.source.loadMs);
}

/** The same with the time that it waited for a person, which is not its own (SPEC E7). */
export function lastingMsOf(job: Job): number {
  return wallMsOf(job) + (job.kind === "call" ? job.askingMs : 0);
}

export function cpuMsOf(job: Job): number {
  return job.kind === "call" ? job.invocation.limits.cpuMs : job.source.loadMs;
}

export function limitsOf(job: CallJob): Limits {
  return job.invocation.limits;
}

/** Usage of a job whose worker cannot be asked any more: its times and operations; the other figures are 0. */
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

/** Answers a job with a fault in its own terms. */
export function settleWithFault(job: Job, fault: Fault, used: InvocationUsed): void {
  if (job.kind === "call") return job.settle({ ok: false, fault, used });
  const late = lateFault(fault);
  if (late !== undefined) return job.settle({ ok: false, fault: late });
  return job.settle({
    ok: false,
    fault: { kind: "trap", message: fault.kind === "trap" ? fault.message : "The worker that loaded the plugin was ended" },
  });
}

/** Shorter than it takes to wake a thread. */
const BRIEF_MS = 0.1;

/** A call of a kind that takes less time than waking another thread. */
export function isBrief(job: Job): boolean {
  return job.kind === "call" && job.plugin.typicalMs !== undefined && job.plugin.typicalMs < BRIEF_MS;
}

/** The plugin's name. */
export function nameOf(job: Job): string {
  return job.kind === "call" ? job.plugin.source.name : job.source.name;
}

/** The plugin's digest. */
export function digestOf(job: Job): string {
  return job.kind === "call" ? job.invocation.digest : job.source.digest;
}
