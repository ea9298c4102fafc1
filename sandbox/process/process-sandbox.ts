/**
 * A sandbox whose workers run in separate processes, so that a guest that escapes from WebAssembly finds nothing to steal (SPEC B1).
 *
 * Each process contains a whole sandbox with its own pool and watchdog (`serve.ts`). This module contains what must not depend on them:
 * the operations that a call may run, the messages that it may send, and the end of a process that makes no progress.
 */

import { afterProgress, answerOperation, createOperationRoom } from "../pool/answer-operation.ts";
import { deliverLogs, outcomeOf, ownFault, withoutThrowing } from "../pool/call-outcome.ts";
import { loadEngine } from "../pool/engine-build.ts";
import type { Fault, LoadWarning } from "../wire/fault.ts";
import { imageFileName } from "../pool/image-file.ts";
import type { Invocation, InvocationOutcome, InvocationUsed, LoadOutcome, PluginSource } from "../wire/invocation.ts";
import { loadWallMs } from "../wire/load-clock.ts";
import type { Sandbox, SandboxOptions } from "../pool/sandbox.ts";
import { createTurns } from "../pool/turns.ts";
import { CANCEL_GRACE_MS } from "../pool/watchdog.ts";
import { nextNumber } from "../wire/protocol.ts";
import type { Child, ProcessCall, ProcessJob } from "./child.ts";
import { ProcessSet } from "./process-set.ts";
import type { ProcessLauncher } from "./port.ts";
import type { ProcessMessage } from "./protocol.ts";
import { fromTapeText } from "./tape-text.ts";

interface LoadedPlugin {
  readonly source: PluginSource;
  readonly imageBytes: number;
  readonly warnings: readonly LoadWarning[];
  users: number;
  unloading: boolean;
}

/** As in the process: a folder of a thousand plugins is not sent at once. */
const LOADS_AT_ONCE = 16;
/** Maximum number of processes that may end while they have the same job. */
const MAXIMUM_ATTEMPTS = 3;
/** The log has the reason: the process's last words may name places of this machine. */
const ENDED_EACH_TIME: Fault = {
  kind: "trap",
  message: `The sandbox's process ended on each of ${MAXIMUM_ATTEMPTS} attempts; the log says why`,
};
/** Time in which the process must end a cancelled call, including the guest's own grace period. */
const CANCEL_WITHIN_MS = CANCEL_GRACE_MS + 2_000;

/** Creates a sandbox and starts its first process in the background. */
export function createProcessSandbox(launcher: ProcessLauncher, options: SandboxOptions = {}): Sandbox {
  const {
    maximumWorkers = 4,
    maximumQueue = 4_096,
    isIsolated = () => false,
    engine: build = launcher.engine ?? "metered",
    onDefect: told = () => {},
  } = options;
  const onDefect = withoutThrowing(told);
  const plugins = new Map<string, LoadedPlugin>();
  const loading = new Map<string, Promise<LoadOutcome>>();
  const takeTurn = createTurns(LOADS_AT_ONCE);
  const room = createOperationRoom(launcher, options.readLarge);
  const processSet = new ProcessSet({ launcher, onMessage: receive, onLost: replace, onDefect });
  let lastNumber = 0;
  let outstanding = 0;
  const started = start();
  started.catch((defect: unknown) => onDefect(defect instanceof Error ? defect.message : String(defect)));

  async function start(): Promise<void> {
    const [startProcess, engine] = await Promise.all([launcher.prepareProcesses(), loadEngine(launcher, build, onDefect)]);
    const base = await imageFileName(engine, launcher.language, launcher.sha256);
    const image = await launcher.readCache(base);
    processSet.open(startProcess, {
      head: { type: "boot", base, maximumWorkers, maximumQueue },
      parts: image === undefined ? [engine] : [engine, image],
    });
  }

  /** Returns the process of a plugin. A plugin that never shares has its own. */
  function homeOf({ name }: PluginSource): string {
    return isIsolated(name) ? name : "";
  }

  function newNumber(): number {
    lastNumber = nextNumber(lastNumber);
    return lastNumber;
  }

  function place(job: ProcessJob): void {
    const child = processSet.childFor(homeOf(job.source));
    if (child === undefined) return answer(job, { kind: "trap", message: "The sandbox is closed" });
    child.give(job);
  }

  /** @returns false if the job was answered before */
  function settle(job: ProcessJob): boolean {
    if (job.thread?.jobs.get(job.number) !== job) return false;
    job.thread.settle(job.number);
    job.thread = undefined;
    return true;
  }

  function receive(child: Child, message: ProcessMessage): void {
    if (message.type === "defect") return onDefect(message.message);
    if (!("number" in message)) return;
    // Only jobs of this very process are accepted.
    const job = child.jobs.get(message.number);
    if (job === undefined) return message.number === 0 ? undefined : child.unheard();
    if (job.kind === "load") {
      if (message.type === "loaded" && settle(job)) {
        const { loadMs, imageBytes, warnings = [] } = message;
        plugins.set(job.source.digest, { source: job.source, imageBytes, warnings, users: 0, unloading: false });
        return job.settle({ ok: true, loadMs, imageBytes, warnings });
      }
      if (message.type === "refused" && settle(job)) {
        child.unload(job.source.digest);
        return job.settle({ ok: false, fault: message.fault });
      }
      return child.unheard();
    }
    if (message.type === "operation") return answerOperation(child, job, message, { plugin: job.source.name, room });
    if (message.type === "logs") return deliverLogs(job, message.lines, onDefect) ? undefined : child.unheard();
    if ((message.type !== "done" && message.type !== "failed") || !settle(job)) return child.unheard();
    deliverLogs(job, message.lines, onDefect);
    const tape = fromTapeText(message.tape);
    const kept = { ...(tape !== undefined && { tape }), ...(message.beganAfresh === true && { beganAfresh: message.beganAfresh }) };
    if (message.type === "done") {
      const { droppedStateBytes } = message;
      return job.settle({ ...outcomeOf(job.invocation, message), ...kept, ...(droppedStateBytes !== undefined && { droppedStateBytes }) });
    }
    return job.settle({ ok: false, fault: ownFault(job.invocation, message.fault), used: message.used, ...kept });
  }

  /** Runs calls without effects again in another process; the others are lost (SPEC B10). */
  function replace(child: Child, why: string, overdue: ReadonlySet<ProcessJob>): void {
    onDefect(why);
    for (const job of [...child.jobs.values()]) {
      child.jobs.delete(job.number);
      job.thread = undefined;
      job.attempts++;
      const isRepeatable = job.kind === "load" || job.effects === 0;
      if (overdue.has(job)) answer(job, overdueFault(job));
      else if (!isRepeatable) answer(job, { kind: "lost" });
      else if (job.attempts >= MAXIMUM_ATTEMPTS) answer(job, ENDED_EACH_TIME);
      else place(job);
    }
  }

  function answer(job: ProcessJob, fault: Fault): void {
    if (job.thread !== undefined) settle(job);
    if (job.kind === "call") return job.settle({ ok: false, fault, used: { ...NOTHING_USED, operations: job.operations } });
    const message = fault.kind === "trap" ? fault.message : "The process that loaded the plugin was ended";
    return job.settle({ ok: false, fault: { kind: "trap", message } });
  }

  async function find(source: PluginSource): Promise<LoadOutcome> {
    await started;
    return await new Promise((resolve) => {
      place({ kind: "load", number: newNumber(), thread: undefined, attempts: 0, givenAt: 0, source, settle: resolve });
    });
  }

  function call({ source }: LoadedPlugin, invocation: Invocation): Promise<InvocationOutcome> {
    return new Promise((resolve) => {
      const job: ProcessCall = {
        kind: "call",
        number: newNumber(),
        thread: undefined,
        attempts: 0,
        givenAt: 0,
        source,
        invocation,
        effects: 0,
        operations: 0,
        logBytes: 0,
        pendingOperations: 0,
        asking: 0,
        settle(outcome) {
          invocation.signal.removeEventListener("abort", cancel);
          afterProgress(job, () => resolve(outcome));
        },
      };
      const cancel = (): void => {
        job.thread?.send({ type: "abort", number: job.number });
        launcher.after(CANCEL_WITHIN_MS, () => {
          if (job.thread !== undefined) answer(job, { kind: "cancelled" });
        });
      };
      invocation.signal.addEventListener("abort", cancel, { once: true });
      place(job);
    });
  }

  function release(plugin: LoadedPlugin): void {
    plugin.users--;
    if (plugin.unloading) forgetUnused(plugin);
  }

  function forgetUnused({ users, source }: LoadedPlugin): void {
    if (users > 0) return;
    plugins.delete(source.digest);
    processSet.forget(source.digest);
  }

  return {
    load(source) {
      const known = plugins.get(source.digest);
      if (known !== undefined) {
        known.unloading = false;
        return Promise.resolve({ ok: true, loadMs: 0, imageBytes: known.imageBytes, warnings: known.warnings });
      }
      const under = loading.get(source.digest);
      if (under !== undefined) return under;
      const settled = takeTurn(() => find(source)).finally(() => loading.delete(source.digest));
      loading.set(source.digest, settled);
      return settled;
    },

    async invoke(invocation) {
      const plugin = plugins.get(invocation.digest);
      if (plugin === undefined) throw new Error(`The plugin ${invocation.digest} is not loaded`);
      if (invocation.signal.aborted) return { ok: false, fault: { kind: "cancelled" }, used: NOTHING_USED };
      // The process has its own queue. This is the capacity of its workers and that queue.
      if (outstanding >= maximumQueue + maximumWorkers * CALLS_A_WORKER)
        return { ok: false, fault: { kind: "overloaded", because: "calls" }, used: NOTHING_USED };
      plugin.users++;
      outstanding++;
      try {
        return await call(plugin, invocation);
      } finally {
        outstanding--;
        release(plugin);
      }
    },

    unload(digest) {
      const plugin = plugins.get(digest);
      if (plugin === undefined) return;
      plugin.unloading = true;
      forgetUnused(plugin);
    },

    endSession: (session) => processSet.endSession(session),

    async close() {
      const jobs = processSet.jobs();
      const ending = processSet.close();
      for (const job of jobs) answer(job, { kind: "cancelled" });
      await started.catch(() => undefined);
      await ending;
    },
  };
}

/** Maximum number of calls that a pool gives to one worker. */
const CALLS_A_WORKER = 64;
const NOTHING_USED: InvocationUsed = { wallMs: 0, cpuMs: 0, memoryBytes: 0, outputBytes: 0, logBytes: 0, operations: 0, fuel: 0 };

function overdueFault(job: ProcessJob): Fault {
  const limitMs = job.kind === "call" ? job.invocation.limits.wallMs : loadWallMs(job.source.loadMs);
  return { kind: "timeout", limit: "wall", limitMs };
}
