/** The sandbox interface for the host: load a plugin once, then invoke it many times, each time from the same image. */

import { afterProgress, answerOperation, createOperationRoom, type ReadLargeJson } from "./answer-operation.ts";
import type { EngineBuild } from "./engine-build.ts";
import { deliverLogs, outcomeOf, ownFault, withoutThrowing } from "./call-outcome.ts";
import type { CallWords } from "../guest/call/protocol.ts";
import type { LoadWarning } from "../wire/fault.ts";
import type { BaseImage, Image } from "../engine/image.ts";
import type { Invocation, InvocationOutcome, InvocationUsed, LoadOutcome, PluginSource } from "../wire/invocation.ts";
import { shareFiles } from "../wire/plugin-files.ts";
import type { CallJob, Job, LoadedPlugin } from "./job.ts";
import type { Parking } from "../image/parked.ts";
import { CryptoLimiter } from "./crypto-limiter.ts";
import { Freezer, thaw } from "./frozen-jobs.ts";
import type { WarmWorkers } from "./worker-set.ts";
import { createPluginCache } from "./plugin-cache.ts";
import { Pool } from "./pool.ts";
import type { SandboxUse } from "./use.ts";
import { SessionStates } from "./session-states.ts";
import { type ToldState, toldState } from "../wire/told-state.ts";
import { laidOut, tellRest } from "./resting-jobs.ts";
import { createTurns } from "./turns.ts";
import type { WorkerLauncher } from "../wire/port.ts";
import { exportKey, nextNumber, type WorkerMessage } from "../wire/protocol.ts";
import { type Thread, toldNothing, type ToldOfPlugin } from "./thread.ts";

/** A pool of workers with instances. Two calls never share guest state, and the host's thread never waits for a guest. */
export interface Sandbox {
  /** Loads and checks a plugin and creates its image, while calls run. Returns at once if the digest is already loaded. */
  load(source: PluginSource): Promise<LoadOutcome>;
  /** Runs one call. Never rejects because of a guest. @throws {Error} if the digest is not loaded (our bug). */
  invoke(invocation: Invocation): Promise<InvocationOutcome>;
  /** Drops an image once no call uses it. */
  unload(digest: string): void;
  /** Drops the state that plugins keep for a session that has ended. */
  endSession(session: string): void;
  /** Ends every worker without waiting for calls. */
  close(): Promise<void>;
  /** Current load. Absent if it is not known here. */
  use?(): SandboxUse;
}

export interface SandboxOptions {
  /** Maximum number of workers that take calls, without the warm spare. Default 4. */
  readonly maximumWorkers?: number;
  /** Workers that are started in advance. Default `spare`: the first one and a spare. */
  readonly warmWorkers?: WarmWorkers;
  /**
   * Maximum number of calls that wait for a worker; one caller may have half of them. Further calls fail with `overloaded`. Default
   * 4,096.
   */
  readonly maximumQueue?: number;
  /** Returns true for plugin names that never share an instance or a worker with another plugin (SPEC B1). Default: none. */
  readonly isIsolated?: (name: string) => boolean;
  /** Engine build. Default `metered`: a restore costs only what the call touched, and native loops end at their deadline. */
  readonly engine?: EngineBuild;
  /** When waiting calls give up their instance. Default `needed`; `always` is for tests. */
  readonly parking?: Parking;
  /** Reads large arguments of operations. Default: in one go, on this thread. */
  readonly readLarge?: ReadLargeJson;
  /** Receives defects of the sandbox or the engine, never of a guest. For the log. */
  readonly onDefect?: (message: string) => void;
}

/** Share of the queue that waiting calls of one caller may take. */
const CALLERS_PART = 1 / 2;
/**
 * Maximum number of concurrent loads. Keeps a folder of a thousand plugins, and the copies made while loading, from being in memory all
 * at once.
 */
const LOADS_AT_ONCE = 16;

/** Creates a sandbox and starts its first worker in the background. */
export function createSandbox(launcher: WorkerLauncher, options: SandboxOptions = {}): Sandbox {
  const {
    maximumWorkers = 4,
    warmWorkers = "spare",
    maximumQueue = 4_096,
    isIsolated = () => false,
    engine = launcher.engine ?? "metered",
    parking = "needed",
    onDefect: told = () => {},
  } = options;
  const onDefect = withoutThrowing(told);
  const plugins = new Map<string, LoadedPlugin>();
  const loading = new Map<string, Promise<LoadOutcome>>();
  const states = new SessionStates();
  const room = createOperationRoom(launcher, options.readLarge);
  const cryptoLimiter = new CryptoLimiter();
  let lastNumber = 0;
  const pool = new Pool({ launcher, maximumWorkers, warmWorkers, onMessage: receive, give, isIsolated, engine, parking, onDefect });
  const freezer = new Freezer({ base: baseNow, now: launcher.now, room, onDefect });
  const takeTurn = createTurns(LOADS_AT_ONCE);
  const cache = createPluginCache(launcher, () => pool.base);
  const started = pool.start();
  started.catch((defect: unknown) => onDefect(defect instanceof Error ? defect.message : String(defect)));

  function newNumber(): number {
    lastNumber = nextNumber(lastNumber);
    return lastNumber;
  }

  function baseNow(): { readonly image: BaseImage; readonly name: string } | undefined {
    return pool.base && { image: pool.base, name: pool.baseName };
  }

  function give(thread: Thread, job: Job): void {
    if (job.kind === "load") {
      const { digest, files, modules, memoryBytes, loadMs } = job.source;
      return thread.give(job.number, digest, (ticket) => ({
        type: "load",
        number: job.number,
        ticket,
        digest,
        files,
        modules,
        memoryBytes,
        loadMs,
      }));
    }
    const { source, image } = job.plugin;
    let told = thread.images.get(source.digest);
    if (told === undefined) {
      told = toldNothing();
      thread.images.set(source.digest, told);
      thread.send({ type: "image", digest: source.digest, image, files: source.files });
    }
    const { number, words, invocation, state } = job;
    const { limits, outputSchema } = invocation;
    // Usually the same objects as in the last call. Sending them would double the message.
    const isKnown = told.limits === limits;
    told.limits = limits;
    const isSchemaKnown = noteSchema(told.outputSchemas, invocation);
    const rest = job.rest;
    thread.give(number, source.digest, (ticket) => ({
      type: "call",
      number,
      ticket,
      digest: source.digest,
      words,
      limits: isKnown ? undefined : limits,
      outputSchema: isSchemaKnown ? undefined : (outputSchema ?? null),
      state,
      conditions: invocation.conditions,
      from: rest?.call,
    }));
    if (rest !== undefined) tellRest(job, thread, rest);
  }

  /** Handles a worker's message. A worker may send any number, so only messages about jobs on that worker are accepted. */
  function receive(thread: Thread, message: WorkerMessage): void {
    if (message.type === "ready" || message.type === "broken" || message.type === "taken") return;
    const job = pool.job(message.number);
    if (message.type === "lane") {
      // A cryptography operation may outlive its call.
      const plugin = job?.kind === "call" && job.thread === thread ? job.plugin.source.name : "";
      return cryptoLimiter.hear(thread, message, plugin) ? undefined : thread.unheard();
    }
    if (job === undefined || job.thread !== thread) {
      const isEnd = message.type === "done" || message.type === "failed" || message.type === "full";
      return isEnd && thread.pay(message.number) ? undefined : thread.unheard();
    }
    if (job.kind === "load") {
      if (message.type === "loaded") thread.images.set(job.source.digest, toldNothing());
      if ((message.type === "loaded" || message.type === "refused") && pool.settle(job)) {
        if (message.type === "refused") return job.settle({ ok: false, fault: message.fault });
        const { image, warnings = [] } = message;
        keep(job.source, image, warnings);
        cache.keep(job.source, { image, warnings }).catch((defect: unknown) => onDefect(`Cannot keep an image: ${String(defect)}`));
        return job.settle({ ok: true, loadMs: launcher.now() - job.givenAt, imageBytes: image.pages.byteLength, warnings });
      }
      return thread.unheard();
    }
    if (message.type === "rests") return laidOut(job, message.call, launcher.now()) ? freezer.rests(job) : thread.unheard();
    // Any other message means that the worker has resumed the call.
    job.rest = undefined;
    thaw(job);
    if (message.type === "full") return pool.refuse(job) ? undefined : thread.unheard();
    if (message.type === "operation") {
      freezer.asked(job, message);
      return answerOperation(thread, job, message, { plugin: job.plugin.source.name, room });
    }
    if (message.type === "logs") return deliverLogs(job, message.lines, onDefect) ? undefined : thread.unheard();
    if ((message.type !== "done" && message.type !== "failed") || !pool.settle(job)) return thread.unheard();
    deliverLogs(job, message.lines, onDefect);
    noteTime(job.plugin, message.used.wallMs);
    const { tape: kept, observed } = message;
    const tape = { ...(kept !== undefined && { tape: kept }), ...(observed !== undefined && { observed }) };
    if (message.type === "failed") job.settle({ ok: false, fault: ownFault(job.invocation, message.fault), used: message.used, ...tape });
    else {
      const { state, droppedStateBytes }: ToldState = message.state === undefined ? message : toldState(message.state);
      job.settle({ ...outcomeOf(job.invocation, message), ...tape, ...(droppedStateBytes !== undefined && { droppedStateBytes }) }, state);
    }
  }

  function keep(source: PluginSource, image: Image, warnings: readonly LoadWarning[]): void {
    plugins.set(source.digest, { source, image, warnings, users: 0, typicalMs: undefined, unloading: false });
  }

  /** Finds the image of an earlier start in the cache, or else loads the plugin in a worker. */
  async function find(source: PluginSource): Promise<LoadOutcome> {
    await started;
    const begun = launcher.now();
    const found = await cache.find(source);
    if (found === undefined) return await loadInWorker(source);
    const { image, warnings } = found;
    keep(source, image, warnings);
    return { ok: true, loadMs: launcher.now() - begun, imageBytes: image.pages.byteLength, warnings };
  }

  function loadInWorker(source: PluginSource): Promise<LoadOutcome> {
    return new Promise((resolve) => {
      pool.submit({
        kind: "load",
        number: newNumber(),
        thread: undefined,
        givenAt: 0,
        begunAt: undefined,
        attempts: 0,
        idleMs: 0,
        overdueMs: 0,
        source,
        settle: resolve,
      });
    });
  }

  /** Starts a call. `settled` is called once; the plugin's image is kept until then. */
  function call(plugin: LoadedPlugin, invocation: Invocation, state: CallJob["state"], settled: CallJob["settle"]): void {
    plugin.users++;
    const job = newJob(plugin, invocation, state, settled);
    const { frozen } = invocation;
    if (frozen === undefined) return pool.submit(job);
    return void freezer.restore(job, frozen).then((found) => {
      const fault = typeof found === "string" ? ({ kind: "misfit", differs: found } as const) : ({ kind: "cancelled" } as const);
      if (typeof found === "string" || invocation.signal.aborted) return job.settle({ ok: false, fault, used: NOTHING_USED });
      pool.submit(job);
      return freezer.askAgain(job, found);
    });
  }

  function newJob(plugin: LoadedPlugin, invocation: Invocation, state: CallJob["state"], settled: CallJob["settle"]): CallJob {
    const job: CallJob = {
      kind: "call",
      number: newNumber(),
      thread: undefined,
      givenAt: 0,
      begunAt: undefined,
      attempts: 0,
      idleMs: 0,
      overdueMs: 0,
      plugin,
      invocation,
      words: wordsOf(invocation),
      state,
      effects: 0,
      operations: 0,
      refusals: 0,
      logBytes: 0,
      pendingOperations: 0,
      asking: 0,
      askingMs: 0,
      cancelBy: undefined,
      rest: undefined,
      rests: 0,
      answers: 0,
      asked: undefined,
      isFrozen: invocation.frozen !== undefined,
      frozenAt: undefined,
      answering: { answer: (_number, operation, answer, brought) => pool.answer(job, { operation, answer, brought }) },
      settle(outcome, left) {
        invocation.signal.removeEventListener("abort", cancel);
        thaw(job);
        release(plugin);
        afterProgress(job, () => settled(outcome, left));
      },
    };
    const cancel = (): void => pool.cancel(job);
    invocation.signal.addEventListener("abort", cancel, { once: true });
    return job;
  }

  /** Runs a call that continues its session's state. A failed call leaves the state unchanged. */
  async function callWithState(plugin: LoadedPlugin, invocation: Invocation, session: string): Promise<InvocationOutcome> {
    const key = { digest: plugin.source.digest, session };
    const outcome = await states.next(key, invocation.signal, async (image) => {
      const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
      call(plugin, invocation, image === undefined ? {} : { image }, (own, left) => {
        if (own.ok && left !== undefined) states.keep(key, left);
        else if (own.ok && own.droppedStateBytes !== undefined) states.drop(key);
        resolve(image === undefined ? { ...own, beganAfresh: true as const } : own);
      });
      return await promise;
    });
    return outcome ?? { ok: false, fault: { kind: "cancelled" }, used: NOTHING_USED };
  }

  return {
    load(source) {
      const known = plugins.get(source.digest);
      if (known !== undefined) {
        known.unloading = false;
        return Promise.resolve({ ok: true, loadMs: 0, imageBytes: known.image.pages.byteLength, warnings: known.warnings });
      }
      const under = loading.get(source.digest);
      if (under !== undefined) return under;
      const settled = takeTurn(() => find({ ...source, files: shareFiles(source.files) })).finally(() => loading.delete(source.digest));
      loading.set(source.digest, settled);
      return settled;
    },

    invoke(invocation) {
      const plugin = plugins.get(invocation.digest);
      if (plugin === undefined) return Promise.reject(new Error(`The plugin ${invocation.digest} is not loaded`));
      const { signal, session, caller } = invocation;
      if (signal.aborted) return Promise.resolve({ ok: false, fault: { kind: "cancelled" }, used: NOTHING_USED });
      const isOverShare = caller !== undefined && pool.waiting.sizeOf(caller) >= maximumQueue * CALLERS_PART;
      if (pool.waiting.size >= maximumQueue || isOverShare)
        return Promise.resolve({ ok: false, fault: { kind: "overloaded", because: pool.isFull ? "memory" : "calls" }, used: NOTHING_USED });
      if (session === undefined) return new Promise((resolve) => call(plugin, invocation, undefined, resolve));
      plugin.users++;
      return callWithState(plugin, invocation, session).finally(() => release(plugin));
    },

    unload(digest) {
      const plugin = plugins.get(digest);
      if (plugin === undefined) return;
      plugin.unloading = true;
      forgetUnused(plugin);
    },

    endSession: (session) => states.endSession(session),
    close: () => pool.close(),
    use: () => pool.use(),
  };

  function release(plugin: LoadedPlugin): void {
    plugin.users--;
    if (plugin.unloading) forgetUnused(plugin);
  }

  function forgetUnused(plugin: LoadedPlugin): void {
    if (plugin.users > 0) return;
    plugins.delete(plugin.source.digest);
    pool.forget(plugin.source.digest, plugin.image.pages.byteLength);
    states.forget(plugin.source.digest);
  }
}

/** @returns true if the worker already knows the schema. Most plugins have none. */
function noteSchema(known: ToldOfPlugin["outputSchemas"], { module, export: name, outputSchema }: Invocation): boolean {
  if (known.size === 0 && outputSchema === undefined) return true;
  const exported = exportKey(module, name);
  if (known.get(exported) === outputSchema) return true;
  known.set(exported, outputSchema);
  return false;
}

/** Updates the typical duration: a moving average of recent calls. */
function noteTime(plugin: LoadedPlugin, wallMs: number): void {
  plugin.typicalMs = plugin.typicalMs === undefined ? wallMs : 0.75 * plugin.typicalMs + 0.25 * wallMs;
}

const NOTHING_USED: InvocationUsed = { wallMs: 0, cpuMs: 0, memoryBytes: 0, outputBytes: 0, logBytes: 0, operations: 0, fuel: 0 };

function wordsOf({ module, export: name, args, argsText = JSON.stringify(args), contextText }: Invocation): CallWords {
  return [module, name, argsText, contextText];
}
