/** What the sandbox offers the host: load a plugin once, invoke it many times, each time from the same bytes. */

import type { EngineBuild } from "./engine-build.ts";
import type { Fault } from "./fault.ts";
import type { HostAnswer } from "./host-call.ts";
import type { Image } from "./image.ts";
import type { Invocation, InvocationOutcome, InvocationUsed, LoadOutcome, PluginSource } from "./invocation.ts";
import type { CallJob, Job, LoadedPlugin } from "./job.ts";
import { OPERATION_TEXT_BYTES, parseGuestJson } from "./marshal.ts";
import { Pool } from "./pool.ts";
import { SessionStates } from "./session-states.ts";
import type { WorkerLauncher } from "./worker/port.ts";
import type { LogLine, WorkerMessage } from "./worker/protocol.ts";
import type { Thread } from "./worker/thread.ts";

/** A pool of workers with instances. Two calls never share guest state; the host's thread never waits for a guest. */
export interface Sandbox {
  /** Loads, checks and images a plugin beside whatever runs. Loading an already loaded digest is free. */
  load(source: PluginSource): Promise<LoadOutcome>;
  /** Never rejects for what a guest did. @throws {Error} if the digest is not loaded (our bug). */
  invoke(invocation: Invocation): Promise<InvocationOutcome>;
  /** Forgets an image once no call uses it. */
  unload(digest: string): void;
  /** Waits for nothing: ends every worker. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Workers that take calls; one warm spare comes on top. Default 4. */
  readonly maximumWorkers?: number;
  /** Calls that may wait for a worker; more are answered `overloaded`. Default 4,096. */
  readonly maximumQueue?: number;
  /** Plugins, by name, that never share an instance or a worker with another (SPEC B1). Default: none. */
  readonly isIsolated?: (name: string) => boolean;
  /** Default `metered`: fresh state at the price of what a call touched, native loops end at their deadline. */
  readonly engine?: EngineBuild;
  /** A defect of the sandbox or the engine, never of a guest; for the log. */
  readonly onDefect?: (message: string) => void;
}

/** Creates a sandbox and begins to start its first worker. */
export function createSandbox(launcher: WorkerLauncher, options: SandboxOptions = {}): Sandbox {
  const { maximumWorkers = 4, maximumQueue = 4_096, isIsolated = () => false, engine = "metered", onDefect = () => {} } = options;
  const plugins = new Map<string, LoadedPlugin>();
  const loading = new Map<string, Promise<LoadOutcome>>();
  const states = new SessionStates();
  let lastNumber = 0;
  const pool = new Pool({ launcher, maximumWorkers, onMessage: receive, give, isIsolated, engine, onDefect });
  const started = pool.start();
  started.catch((defect: unknown) => onDefect(defect instanceof Error ? defect.message : String(defect)));

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
    if (!thread.images.has(source.digest)) {
      thread.images.add(source.digest);
      thread.send({ type: "image", digest: source.digest, image, files: source.files, memoryBytes: source.memoryBytes });
    }
    const { number, request, invocation, state } = job;
    return thread.give(number, source.digest, (ticket) => ({
      type: "call",
      number,
      ticket,
      digest: source.digest,
      request,
      limits: invocation.limits,
      ...(state === undefined ? {} : { state }),
    }));
  }

  /** A worker may say anything about any number: only jobs that are on that very worker are listened to. */
  function receive(thread: Thread, message: WorkerMessage): void {
    if (message.type === "ready" || message.type === "broken") return;
    const job = pool.job(message.number);
    if (job === undefined || job.thread !== thread) return;
    if (job.kind === "load") {
      if (message.type === "loaded") thread.images.add(job.source.digest);
      if ((message.type === "loaded" || message.type === "refused") && pool.settle(job)) {
        if (message.type === "refused") return job.settle({ ok: false, fault: message.fault });
        plugins.set(job.source.digest, { source: job.source, image: message.image, users: 0, unloading: false });
        job.settle({ ok: true, loadMs: launcher.now() - job.givenAt, imageBytes: message.image.bytes.byteLength });
      }
      return;
    }
    if (message.type === "operation") return answerOperation(thread, job, message);
    if (message.type === "logs") return deliverLogs(job, message.lines);
    if ((message.type !== "done" && message.type !== "failed") || !pool.settle(job)) return;
    deliverLogs(job, message.lines);
    if (message.type === "done") job.settle(outcomeOf(job, message.output, message.used), message.state);
    else job.settle({ ok: false, fault: ownFault(job, message.fault), used: message.used });
  }

  function call(
    plugin: LoadedPlugin,
    invocation: Invocation,
    state?: CallJob["state"],
  ): Promise<{ outcome: InvocationOutcome; state?: Image }> {
    return new Promise((resolve) => {
      const job: CallJob = {
        kind: "call",
        number: ++lastNumber,
        thread: undefined,
        givenAt: 0,
        begunAt: undefined,
        attempts: 0,
        plugin,
        invocation,
        request: requestText(invocation),
        ...(state === undefined ? {} : { state }),
        effects: 0,
        pendingOperations: 0,
        cancelBy: undefined,
        settle(outcome, left) {
          invocation.signal.removeEventListener("abort", cancel);
          resolve({ outcome, ...(left === undefined ? {} : { state: left }) });
        },
      };
      const cancel = (): void => pool.cancel(job);
      invocation.signal.addEventListener("abort", cancel, { once: true });
      pool.submit(job);
    });
  }

  /** A call that failed leaves the state as it was before. */
  function callWithState(plugin: LoadedPlugin, invocation: Invocation, session: string): Promise<InvocationOutcome> {
    const key = { digest: plugin.source.digest, session };
    return states.next(key, async (image) => {
      if (invocation.signal.aborted) return { ok: false, fault: { kind: "cancelled" }, used: NOTHING_USED };
      const { outcome, state } = await call(plugin, invocation, image === undefined ? {} : { image });
      if (outcome.ok && state !== undefined) states.keep(key, state);
      return outcome;
    });
  }

  return {
    load(source) {
      const known = plugins.get(source.digest);
      if (known !== undefined) {
        known.unloading = false;
        return Promise.resolve({ ok: true, loadMs: 0, imageBytes: known.image.bytes.byteLength });
      }
      const under = loading.get(source.digest);
      if (under !== undefined) return under;
      const promise = started.then(
        () =>
          new Promise<LoadOutcome>((resolve) => {
            pool.submit({
              kind: "load",
              number: ++lastNumber,
              thread: undefined,
              givenAt: 0,
              begunAt: undefined,
              attempts: 0,
              source,
              settle: resolve,
            });
          }),
      );
      const settled = promise.finally(() => loading.delete(source.digest));
      loading.set(source.digest, settled);
      return settled;
    },

    async invoke(invocation) {
      const plugin = plugins.get(invocation.digest);
      if (plugin === undefined) throw new Error(`The plugin ${invocation.digest} is not loaded`);
      if (invocation.signal.aborted) return { ok: false, fault: { kind: "cancelled" }, used: NOTHING_USED };
      if (pool.queued >= maximumQueue) return { ok: false, fault: { kind: "overloaded" }, used: NOTHING_USED };
      plugin.users++;
      try {
        if (invocation.session !== undefined) return await callWithState(plugin, invocation, invocation.session);
        return (await call(plugin, invocation)).outcome;
      } finally {
        release(plugin);
      }
    },

    unload(digest) {
      const plugin = plugins.get(digest);
      if (plugin === undefined) return;
      plugin.unloading = true;
      forgetUnused(plugin);
    },

    close: () => pool.close(),
  };

  function release(plugin: LoadedPlugin): void {
    plugin.users--;
    if (plugin.unloading) forgetUnused(plugin);
  }

  function forgetUnused(plugin: LoadedPlugin): void {
    if (plugin.users > 0) return;
    plugins.delete(plugin.source.digest);
    pool.forget(plugin.source.digest);
    states.forget(plugin.source.digest);
  }
}

const NOTHING_USED: InvocationUsed = { wallMs: 0, cpuMs: 0, memoryBytes: 0, outputBytes: 0, logBytes: 0, operations: 0, fuel: 0 };

function requestText(invocation: Invocation): string {
  const { module, export: name, args, context } = invocation;
  return `{"module":${JSON.stringify(module)},"export":${JSON.stringify(name)},"args":${JSON.stringify(args)},"context":${JSON.stringify(context)}}`;
}

function outcomeOf(job: CallJob, text: string, used: InvocationUsed): InvocationOutcome {
  const { jsonDepth } = job.invocation.limits;
  const output = parseGuestJson(text, jsonDepth + 1);
  if (output === undefined) return { ok: false, fault: { kind: "not_json", message: "The output is not JSON" }, used };
  return { ok: true, output, used };
}

/** The worker does not know what it was asked for by name. */
function ownFault(job: CallJob, fault: Fault): Fault {
  return fault.kind === "no_export" ? { ...fault, module: job.invocation.module, export: job.invocation.export } : fault;
}

function deliverLogs(job: CallJob, lines: readonly LogLine[]): void {
  for (const [level, text] of lines) {
    job.effects++;
    job.invocation.onLog(level, text);
  }
}

function answerOperation(thread: Thread, job: CallJob, message: Extract<WorkerMessage, { type: "operation" }>): void {
  const { limits, hostCall } = job.invocation;
  job.effects++;
  const reply = (answer: HostAnswer): void => {
    job.pendingOperations--;
    if (job.thread !== thread) return;
    const text = answer.ok ? `v${JSON.stringify(answer.value)}` : `e${JSON.stringify(answer.error)}`;
    const bytes = answer.ok && answer.bytes !== undefined ? { bytes: answer.bytes } : {};
    if (message.operation === 0) thread.answerSync({ number: job.number, answer: text, ...bytes });
    else thread.send({ type: "answer", number: job.number, operation: message.operation, answer: text, ...bytes });
  };
  job.pendingOperations++;
  // The worker keeps these limits too; a worker that does not is not believed.
  const withinLimits =
    job.pendingOperations <= limits.pendingOperations + 1 &&
    job.effects <= limits.operations + limits.logBytes &&
    (message.bytes?.length ?? 0) <= limits.operationBytes;
  const args = withinLimits && message.text.length <= OPERATION_TEXT_BYTES ? parseGuestJson(message.text, limits.jsonDepth) : undefined;
  if (args === undefined)
    return reply({
      ok: false,
      error: { name: "TypeError", message: `Cannot run "${message.name.slice(0, 64)}": its arguments are not JSON within the limits` },
    });
  hostCall({ name: message.name, args, ...(message.bytes === undefined ? {} : { bytes: message.bytes }) }).then(
    reply,
    (defect: unknown) => {
      // A handler answers every input; a rejection is our bug, and the guest learns no more than that it failed.
      reply({ ok: false, error: { name: "Error", message: `${message.name.slice(0, 64)} failed` } });
      job.invocation.onLog(
        "error",
        `Operation "${message.name.slice(0, 64)}" crashed: ${defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)}`,
      );
    },
  );
}
