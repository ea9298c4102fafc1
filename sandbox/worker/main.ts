/** What a worker does: holds images and instances, loads plugins, runs calls, one guest at a time on its thread, each for a slice of time. */

import { DEFAULT_LIMITS, type JsonSchema, type Limits } from "../../manifests/mod.ts";
import { makeBaseImage } from "../image/base-image.ts";
import { loadCompiler, loadTypeCompiler } from "../loading/compile.ts";
import { type Image, unchanged } from "../image/image.ts";
import type { Restorer } from "../image/restorer.ts";
import { InFlight } from "../pool/in-flight.ts";
import type { Instance } from "../engine/instance.ts";
import { unpackAnswer } from "../marshal.ts";
import { openWorld } from "../tape/call-world.ts";
import { createLoadClock, lateFault } from "../loading/load-clock.ts";
import { type Loaded, loadInSteps, type LoadRequest } from "../loading/load.ts";
import { createModuleTable, type ModuleTable } from "../loading/modules.ts";
import { LogCredit } from "../call/log-credit.ts";
import { Run, type RunEnvironment } from "../call/run.ts";
import { NEVER_SUSPENDS } from "../engine/guest-host.ts";
import { Fiber } from "./fiber.ts";
import { Scheduler } from "./scheduler.ts";
import { pooledRandom } from "./pooled-random.ts";
import { trackedRestore } from "../image/tracked-restore.ts";
import { FULL_BYTES, MAXIMUM_HELD_BYTES, whoHoldsMost } from "./held.ts";
import { Instances, type Wanted } from "./instances.ts";
import { Lease } from "./lease.ts";
import { createSubtleCalls } from "../operations/subtle-calls.ts";
import { createLinger, createSleep, type Served } from "./linger.ts";
import { CANCEL, claim, exportKey, HELD_KB, openControl, BELL, TAKEN_KB, WAITING, type WorkerRequest } from "./protocol.ts";
import { Inbox, Outbox } from "./post-boxes.ts";
import { createDroppedMemory } from "./dropped-memory.ts";
import type { WorkerPowers } from "./powers.ts";
import { SlotWriter } from "./slot.ts";
import { LARGE_ANSWER_BYTES } from "./untaken.ts";

/** After the start's own work, before an author's first edit. */
const PREPARE_AFTER_MS = 1_000;

/** Instances of a worker: as many as calls usually wait at once. */
const SLOTS = 16;

interface Plugin {
  readonly image: Image;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** For imports that only happen in a call; made when the first call comes. */
  modules: ModuleTable | undefined;
  /** Of the last call: the next one names its own only where they are others. */
  limits: Limits | undefined;
  /** Of the last call of each export. */
  readonly outputSchemas: Map<string, JsonSchema | null>;
}

interface BegunCall {
  readonly run: Run;
  readonly lease: Lease;
  readonly digest: string;
}

type BootRequest = Extract<WorkerRequest, { type: "boot" }>;
type CallRequest = Extract<WorkerRequest, { type: "call" }>;
type LimitedRequest = Omit<CallRequest, "outputSchema"> & { readonly limits: Limits; readonly outputSchema: JsonSchema | undefined };

/** Serves requests until the thread is ended. */
export function serveWorker(powers: WorkerPowers): void {
  const control = openControl(powers.init.control);
  const fillRandom = pooledRandom(powers.fillRandom);
  const inbox = new Inbox(control.words);
  const scheduler = new Scheduler(powers.now);
  const outbox = new Outbox(powers.post, () => inbox.waiting + scheduler.waitingCalls, new SlotWriter(control));
  const sleepForAnswer = createSleep({ ...powers, control });
  const plugins = new Map<string, Plugin>();
  const calls = new InFlight<BegunCall>();
  /** Requests that go on by promises, which need the event loop. */
  let underWay = 0;
  /** By call: each asks for one at a time. */
  const laneGiven = new Map<number, () => void>();
  let booted: { readonly restorer: Restorer; readonly instances: Instances } | undefined;

  const { codec, hash, supports, legacyDecoders } = powers;
  const localPowers = { codec, hash, supports, legacyDecoders };
  const environment: RunEnvironment = {
    control,
    local: {
      ...localPowers,
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
    after: (delayMs, task) => linger.after(delayMs, task),
    post: (message) => outbox.send(message),
    flush: () => outbox.flush(),
    logCredit: new LogCredit(control.words),
    background,
    scheduler,
    breakDown,
    instances: {
      rest(lease) {
        afterBoot().instances.rest(lease);
        boundHeld();
      },
      suspend(lease) {
        afterBoot().instances.suspend(lease);
        boundHeld();
      },
      occupy(lease) {
        const { instances } = afterBoot();
        // Most calls never waited.
        if (!instances.hasWaited(lease)) return true;
        const isReady = instances.occupy(lease);
        tellWaiting();
        return isReady;
      },
      bringBack: (lease) => afterBoot().instances.bringBack(lease),
    },
    openSubtle: createSubtleCalls({ subtle: powers.subtle, now: powers.now, background, lane }),
    waitForAnswer(number, until) {
      for (;;) {
        const seen = Atomics.load(control.words, BELL);
        const answer = powers.takeSyncAnswer();
        if (answer !== undefined) {
          tellTaken(answer.number, 0, answer.bytes);
          // An answer to a call that was ended while it waited is nobody's any more.
          if (answer.number === number) return { number, ...unpackAnswer(answer) };
          continue;
        }
        const left = until - powers.now();
        if (left <= 0 || Atomics.load(control.words, CANCEL) === number) return undefined;
        sleepForAnswer(seen, left);
      }
    },
  };

  async function boot({ module, base: given, prepareToLoad, parking }: BootRequest): Promise<void> {
    const base = given ?? (await makeBaseImage(module));
    const restorer = trackedRestore(base);
    const instances = new Instances({
      ...{ module, restorer, fillRandom, slots: SLOTS, parking, suspends: "suspends" as const },
      onDropped: createDroppedMemory(powers),
    });
    booted = { restorer, instances };
    outbox.send({ type: "ready", base });
    // While the host reads plugins: the first call finds an instance.
    await instances.startAhead(unchanged(base), DEFAULT_LIMITS.memoryBytes);
    // A host that finds all its plugins in its cache loads none; one that runs on will have to compile an edited one soon.
    if (prepareToLoad) linger.after(PREPARE_AFTER_MS, () => void loadTypeCompiler());
  }

  function afterBoot(): NonNullable<typeof booted> {
    if (booted === undefined) throw new Error("The worker has no base image yet");
    return booted;
  }

  async function load(request: Extract<WorkerRequest, { type: "load" }>): Promise<void> {
    const { restorer, instances } = afterBoot();
    const compiler = await loadCompiler(request.files, "load");
    const lease = await instances.lease(unchanged(restorer.base), request.memoryBytes, "image");
    const loaded = await loadInTurns({ ...request, compiler }, lease);
    if (loaded === undefined) return instances.giveBack(lease);
    if (loaded.ok) {
      plugins.set(request.digest, pluginOf(loaded.image, request.files));
      outbox.send({ type: "loaded", number: request.number, image: loaded.image });
      instances.giveBack(new Lease(loaded.image, lease.instance));
    } else {
      outbox.send({ type: "refused", number: request.number, fault: loaded.fault });
      instances.giveBack(lease);
    }
    tellWaiting();
    linger.begin();
    return undefined;
  }

  /** @returns undefined if the host has taken the load back */
  function loadInTurns(
    request: Extract<WorkerRequest, { type: "load" }> & Pick<LoadRequest, "compiler">,
    lease: Lease,
  ): Promise<Loaded | undefined> {
    const { restorer } = afterBoot();
    const clock = createLoadClock(request.number, request.loadMs, { ...environment, threadCpuMs: powers.loadCpuMs });
    const { promise, resolve, reject } = Promise.withResolvers<Loaded | undefined>();
    const fiber = new Fiber({ ...environment, breakDown: reject }, { plugin: request.digest, lease, clock });
    const thread = {
      ...NEVER_SUSPENDS,
      late: () => lateFault(clock.check()),
      shouldSuspend: () => fiber.isSliceOver,
      suspended: () => fiber.suspend("next turn"),
    };
    scheduler.add(request.digest, "call", () => {
      if (!claim(control, request.ticket)) {
        resolve(undefined);
        return scheduler.left();
      }
      return fiber.enter(loadInSteps(lease.instance, restorer, { ...request, ...localPowers }, thread), resolve, reject);
    });
    linger.begin();
    return promise;
  }

  /** What a call goes by is looked up when it comes: its plugin may be forgotten before its turn, where the host has taken it back. */
  function queueCall(given: CallRequest): void {
    const plugin = plugins.get(given.digest);
    // The host sends an image before the first call that needs it.
    if (plugin === undefined) throw new Error(`The worker has no image of ${given.digest}`);
    const { limits = plugin.limits } = given;
    if (limits === undefined) throw new Error(`The first call of ${given.digest} names no limits`);
    plugin.limits = limits;
    const request = { ...given, limits, outputSchema: schemaOf(given, plugin) };
    scheduler.add(given.digest, "call", () => call(request, plugin));
  }

  /** A call's turn has come. */
  function call(request: LimitedRequest, plugin: Plugin): void {
    const lease = plugin.modules && afterBoot().instances.leaseIdle(...wantedBy(request, plugin));
    if (lease !== undefined && plugin.modules !== undefined) return beginCall(request, plugin, plugin.modules, lease);
    background(prepareAndCall(request, plugin));
    return scheduler.left();
  }

  async function prepareAndCall(request: LimitedRequest, plugin: Plugin): Promise<void> {
    const compiler = await loadCompiler(plugin.files, "call");
    plugin.modules ??= createModuleTable(plugin.files, compiler);
    const { instances } = afterBoot();
    const wanted = wantedBy(request, plugin);
    const { modules } = plugin;
    // The call that came before may have given its instance back by now.
    const lease = instances.leaseIdle(...wanted) ?? (await instances.lease(...wanted));
    scheduler.add(request.digest, "call", () => beginCall(request, plugin, modules, lease));
  }

  function beginCall(request: LimitedRequest, plugin: Plugin, modules: ModuleTable, lease: Lease): void {
    const { restorer, instances } = afterBoot();
    if (!claim(control, request.ticket)) {
      instances.giveBack(lease);
      return scheduler.left();
    }
    if (instances.heldBytes >= FULL_BYTES) {
      instances.giveBack(lease);
      outbox.send({ type: "full", number: request.number });
      return scheduler.left();
    }
    const keep = request.state === undefined ? {} : { capture: (instance: Instance): Image => restorer.capture(instance) };
    const world = openWorld(request.world, environment);
    if (world?.isSeeded === true) instances.reseed(lease, world.local.randomBytes);
    const run = new Run({ ...request, ...keep, world, files: plugin.files, modules }, lease, environment, () => {
      calls.delete(request.number);
      instances.giveBack(lease);
      tellWaiting();
    });
    calls.set(request.number, { run, lease, digest: request.digest });
    run.start();
  }

  /** A call left the thread before it was over. What it holds may be too much, with what the others hold. */
  function boundHeld(): void {
    const { instances } = afterBoot();
    while (instances.heldBytes > MAXIMUM_HELD_BYTES) {
      const held = calls.values().map((call) => ({ ...call, heldBytes: instances.heldBy(call.lease) }));
      const [holders, ending] = [held.filter(({ run }) => !run.isEnding), held.filter(({ run }) => run.isEnding)];
      // A guest that is suspended gives what it holds back once it has left the engine.
      const freed = ending.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
      const most = instances.heldBytes - freed > MAXIMUM_HELD_BYTES ? whoHoldsMost(holders) : undefined;
      if (most === undefined) break;
      most.run.end({ kind: "held_most", allowedBytes: MAXIMUM_HELD_BYTES });
    }
    tellWaiting();
  }

  function tellWaiting(): void {
    const { waiting, heldBytes, takenBytes } = afterBoot().instances;
    Atomics.store(control.words, WAITING, waiting);
    Atomics.store(control.words, HELD_KB, Math.ceil(heldBytes / 1024));
    Atomics.store(control.words, TAKEN_KB, Math.ceil(takenBytes / 1024));
  }

  function lane(number: number): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    laneGiven.set(number, () => {
      laneGiven.delete(number);
      resolve(() => outbox.send({ type: "lane", number, wants: false }));
    });
    outbox.send({ type: "lane", number, wants: true });
    return promise;
  }

  function answer(request: Extract<WorkerRequest, { type: "answer" }>): undefined {
    const { number, operation } = request;
    const taken = (): void => tellTaken(number, operation, request.bytes);
    const begun = calls.get(number);
    if (begun === undefined) taken();
    else {
      const { answer: text, bytes } = unpackAnswer(request);
      begun.run.answer(operation, text, bytes, taken);
    }
  }

  function tellTaken(number: number, operation: number, bytes: Uint8Array | undefined): void {
    if (bytes !== undefined && bytes.length >= LARGE_ANSWER_BYTES) outbox.send({ type: "taken", number, operation });
  }

  function receive(request: WorkerRequest): Promise<void> | undefined | void {
    switch (request.type) {
      case "boot":
        return boot(request);
      case "load":
        return load(request);
      case "image":
        return void plugins.set(request.digest, pluginOf(request.image, request.files));
      case "forget":
        scheduler.forget(request.digest);
        return void plugins.delete(request.digest);
      case "call":
        return queueCall(request);
      case "answer":
        return answer(request);
      case "lane":
        return laneGiven.get(request.number)?.();
      case "abort":
        return (calls.get(request.number)?.run.abort(), undefined);
      case "end":
        return (calls.get(request.number)?.run.end(), undefined);
    }
  }

  function serve(request: WorkerRequest): void {
    // Of what it takes, no guest's polls tell.
    if (request.type === "load") outbox.flush();
    const more = receive(request);
    if (more !== undefined) background(more);
  }

  function background(more: Promise<void>): void {
    underWay++;
    more.catch(breakDown).finally(() => {
      underWay--;
      linger.begin();
    });
  }

  /** A defect of ours ends the worker; the host gives its calls to another one or answers for them. */
  function breakDown(defect: unknown): void {
    outbox.send({ type: "broken", message: defect instanceof Error ? (defect.stack ?? defect.message) : String(defect) });
    outbox.flush();
  }

  /** Takes what has come, which guests wait for, and lets the next of them have the thread. */
  function serveNext(): Served {
    try {
      takeIn();
      const guest = scheduler.next();
      if (guest !== undefined) return guest === true ? "served" : guest;
    } catch (defect) {
      breakDown(defect);
    }
    outbox.flush();
    return underWay > 0 ? "async" : "idle";
  }

  function takeIn(): void {
    for (;;) {
      const request = inbox.take();
      if (request !== undefined) {
        serve(request);
        continue;
      }
      const envelope = inbox.waiting > 0 ? powers.takeEnvelope() : undefined;
      if (envelope === undefined) return;
      inbox.add(envelope);
    }
  }

  const linger = createLinger({ ...powers, control }, serveNext, () => underWay > 0);
  powers.onMessage((envelope) => {
    inbox.add(envelope);
    linger.begin();
  });
}

/** As much memory as the call may have; what its image holds already is never too much. */
function wantedBy({ state, limits }: LimitedRequest, plugin: Plugin): Wanted {
  const image = state?.image ?? plugin.image;
  return [image, Math.max(limits.memoryBytes, image.heapEnd), "fresh"];
}

/** Named by the call, or by the last one of the same export. Most plugins have none. */
function schemaOf({ words: [module, name], outputSchema }: CallRequest, { outputSchemas }: Plugin): JsonSchema | undefined {
  if (outputSchema === undefined && outputSchemas.size === 0) return undefined;
  const exported = exportKey(module, name);
  if (outputSchema !== undefined) outputSchemas.set(exported, outputSchema);
  return outputSchemas.get(exported) ?? undefined;
}

function pluginOf(image: Image, files: ReadonlyMap<string, Uint8Array>): Plugin {
  return { image, files, modules: undefined, limits: undefined, outputSchemas: new Map() };
}
