/** What a worker does: holds images and instances, loads plugins, runs calls, one guest at a time on its thread. */

import { makeBaseImage } from "../base-image.ts";
import type { Image } from "../image.ts";
import type { Instance } from "../instance.ts";
import { loadPlugin } from "../load.ts";
import { createModuleTable, loadStripper, type ModuleTable, needsStripper } from "../modules.ts";
import { Run, type RunEnvironment } from "../run.ts";
import { pooledRandom } from "../pooled-random.ts";
import { trackedRestore } from "../tracked-restore.ts";
import { createInstances, type Instances } from "./instances.ts";
import {
  CANCEL,
  claim,
  CURRENT,
  END_BY,
  ENTERED_AT,
  LAST_POLL,
  openControl,
  SYNC_ANSWERS,
  type SyncAnswer,
  type WorkerMessage,
  type WorkerRequest,
} from "./protocol.ts";
import type { WorkerInit } from "./port.ts";

/** The powers a worker's entry file hands in: its port, its clock, its waits, its randomness. Nothing else reaches a worker. */
export interface WorkerPowers {
  readonly init: WorkerInit;
  post(message: WorkerMessage): void;
  onMessage(listener: (message: WorkerRequest) => void): void;
  /** The next message on the port for synchronous answers, if one is there. */
  takeSyncAnswer(): SyncAnswer | undefined;
  /** Blocks the thread while `words[index]` is `value`, for at most `timeoutMs`. */
  block(...wait: [words: Int32Array, index: number, value: number, timeoutMs: number]): void;
  now(): number;
  /** CPU milliseconds of this thread so far; undefined where the runtime cannot tell cheaply. */
  threadCpuMs(): number | undefined;
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
  fillRandom(bytes: Uint8Array): void;
}

/** Idle instances a worker keeps: as many as calls usually wait at once. */
const KEEP_INSTANCES = 8;

interface Plugin {
  readonly image: Image;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** For imports that only happen in a call; made when the first call comes. */
  modules: ModuleTable | undefined;
  readonly memoryBytes: number;
}

/** Serves requests until the thread is ended. */
export function serveWorker(powers: WorkerPowers): void {
  const { module } = powers.init;
  const control = openControl(powers.init.control);
  const fillRandom = pooledRandom(powers.fillRandom);
  const plugins = new Map<string, Plugin>();
  const runs = new Map<number, Run>();
  const instances: Instances = createInstances({ module, restorer: trackedRestore, fillRandom, keep: KEEP_INSTANCES });
  let base: Image | undefined;

  const environment: RunEnvironment = {
    control,
    local: {
      monotonicMs: powers.now,
      randomBytes(length: number) {
        const bytes = new Uint8Array(length);
        fillRandom(bytes);
        return bytes;
      },
    },
    now: powers.now,
    threadCpuMs: powers.threadCpuMs,
    epoch: powers.epoch,
    after: powers.after,
    post: powers.post,
    waitForAnswer(number, until) {
      for (;;) {
        const seen = Atomics.load(control.words, SYNC_ANSWERS);
        const answer = powers.takeSyncAnswer();
        if (answer !== undefined) {
          // An answer to a call that was ended while it waited is nobody's any more.
          if (answer.number === number) return answer;
          continue;
        }
        const left = until - powers.now();
        if (left <= 0 || Atomics.load(control.words, CANCEL) === number) return undefined;
        powers.block(control.words, SYNC_ANSWERS, seen, left);
      }
    },
  };

  async function boot(given: Image | undefined, prepareToLoad: boolean): Promise<void> {
    base = given ?? (await makeBaseImage(module));
    powers.post({ type: "ready", base });
    // Nothing waits for this worker yet, and the first plugin's types will.
    if (prepareToLoad) await loadStripper();
  }

  async function load(request: Extract<WorkerRequest, { type: "load" }>): Promise<void> {
    if (base === undefined) throw new Error("The worker has no base image yet");
    const strip = needsStripper(request.files, false) ? { strip: await loadStripper() } : {};
    const lease = await instances.lease(base, request.memoryBytes, "image");
    if (!claim(control, request.ticket)) return instances.giveBack(lease);
    control.times[ENTERED_AT] = powers.now();
    control.times[LAST_POLL] = powers.now();
    control.times[END_BY] = powers.now() + request.loadMs;
    Atomics.store(control.words, CURRENT, request.number);
    const loaded = loadPlugin(lease.instance, base, { ...request, ...strip }, powers.now);
    Atomics.store(control.words, CURRENT, 0);
    if (loaded.ok) {
      plugins.set(request.digest, pluginOf(loaded.image, request.files, request.memoryBytes));
      powers.post({ type: "loaded", number: request.number, image: loaded.image });
      instances.giveBack({ instance: lease.instance, image: loaded.image }, base);
    } else {
      powers.post({ type: "refused", number: request.number, fault: loaded.fault });
      instances.giveBack(lease);
    }
  }

  async function call(request: Extract<WorkerRequest, { type: "call" }>): Promise<void> {
    const plugin = plugins.get(request.digest);
    // The host sends an image before the first call that needs it.
    if (plugin === undefined) throw new Error(`The worker has no image of ${request.digest}`);
    plugin.modules ??= createModuleTable(plugin.files, needsStripper(plugin.files, true) ? await loadStripper() : undefined);
    const { modules } = plugin;
    const image = request.state?.image ?? plugin.image;
    const lease = await instances.lease(image, plugin.memoryBytes, "fresh");
    if (!claim(control, request.ticket)) return instances.giveBack(lease);
    const capture = (instance: Instance): Image => ({ ...trackedRestore.capture(instance), randomAddress: image.randomAddress });
    const keep = request.state === undefined ? {} : { capture };
    const run = new Run({ ...request, ...keep, files: plugin.files, modules }, lease.instance, environment, () => {
      runs.delete(request.number);
      instances.giveBack(lease);
    });
    runs.set(request.number, run);
    run.start();
  }

  function receive(request: WorkerRequest): Promise<void> | undefined {
    switch (request.type) {
      case "boot":
        return boot(request.base, request.prepareToLoad);
      case "load":
        return load(request);
      case "image":
        return void plugins.set(request.digest, pluginOf(request.image, request.files, request.memoryBytes));
      case "forget":
        return void plugins.delete(request.digest);
      case "call":
        return call(request);
      case "answer":
        return (runs.get(request.number)?.answer(request.operation, request.answer, request.bytes), undefined);
      case "abort":
        return (runs.get(request.number)?.abort(), undefined);
      case "end":
        return (runs.get(request.number)?.end(), undefined);
    }
  }

  powers.onMessage((request) => {
    // A defect of ours ends the worker; the host gives its calls to another one or answers for them.
    receive(request)?.catch((defect: unknown) =>
      powers.post({ type: "broken", message: defect instanceof Error ? (defect.stack ?? defect.message) : String(defect) }),
    );
  });
}

function pluginOf(image: Image, files: ReadonlyMap<string, Uint8Array>, memoryBytes: number): Plugin {
  return { image, files, modules: undefined, memoryBytes };
}
