/**
 * The worker's main program: holds images and instances, loads plugins, and runs calls. One guest at a time has the thread, for a slice.
 */

import { DEFAULT_LIMITS } from "../../manifests/mod.ts";
import { makeBaseImage } from "../image/base-image.ts";
import { loadCompiler, loadTypeCompiler } from "../loading/compile.ts";
import { unchanged } from "../engine/image.ts";
import type { Restorer } from "../image/restorer.ts";
import { unpackAnswer } from "../wire/marshal.ts";
import { lateFault } from "../wire/load-clock.ts";
import { createLoadClock } from "./call/call-clock.ts";
import { type Loaded, loadInSteps, type LoadRequest } from "./load.ts";
import { LogCredit } from "./call/log-credit.ts";
import { NEVER_SUSPENDS } from "../engine/guest-host.ts";
import { Fiber } from "./fiber.ts";
import { Scheduler } from "./scheduler.ts";
import { pooledRandom } from "./pooled-random.ts";
import { trackedRestore } from "../image/tracked-restore.ts";
import { Calls, type CallsEnvironment, type Plugin, pluginOf } from "./calls.ts";
import { RestingCalls } from "./resting-calls.ts";
import { Instances } from "./instances.ts";
import { Lease } from "./lease.ts";
import { createSubtleCalls } from "./operations/subtle-calls.ts";
import { createIdleLoop, createSleep, type Served } from "./idle.ts";
import { CANCEL, claim, HELD_KB, openControl, BELL, TAKEN_KB, WAITING, type WorkerRequest } from "../wire/protocol.ts";
import { Inbox, Outbox } from "./mailboxes.ts";
import { createDroppedMemory } from "./dropped-memory.ts";
import type { WorkerPowers } from "./powers.ts";
import { SlotWriter } from "../wire/slot.ts";
import { LARGE_ANSWER_BYTES } from "../wire/untaken.ts";

/** Delay that lets the startup's own work finish, and still precedes an author's first edit. */
const PREPARE_AFTER_MS = 1_000;

/** Instances of a worker: as many as calls usually wait at once. */
const SLOTS = 16;

type BootRequest = Extract<WorkerRequest, { type: "boot" }>;
/** Serves requests until the thread is ended. */
export function serveWorker(powers: WorkerPowers): void {
  const control = openControl(powers.init.control);
  const fillRandom = pooledRandom(powers.fillRandom);
  const inbox = new Inbox(control.words);
  const scheduler = new Scheduler(powers.now);
  const outbox = new Outbox(powers.post, () => inbox.waiting + scheduler.waitingCalls, new SlotWriter(control));
  const sleepForAnswer = createSleep({ ...powers, control });
  const plugins = new Map<string, Plugin>();
  /** Number of requests that continue in promises, which need the event loop. */
  let underWay = 0;
  /** Resolvers by call. Each call requests one lane at a time. */
  const slotGiven = new Map<number, () => void>();
  let booted: { readonly restorer: Restorer; readonly instances: Instances } | undefined;

  const { codec, hash, supports, legacyDecoders } = powers;
  const localPowers = { codec, hash, supports, legacyDecoders };
  const environment: CallsEnvironment = {
    afterBoot,
    tellWaiting,
    tellTaken,
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
    after: (delayMs, task) => idling.after(delayMs, task),
    post: (message) => outbox.send(message),
    flush: () => outbox.flush(),
    logCredit: new LogCredit(control.words),
    background,
    scheduler,
    breakDown,
    instances: {
      rest(lease) {
        afterBoot().instances.rest(lease);
        calls.boundHeld();
      },
      suspend(lease) {
        afterBoot().instances.suspend(lease);
        calls.boundHeld();
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
    resting: {
      rests: (run) => resting.rests(run),
      takeUp: (run) => resting.takeUp(run),
    },
    openSubtle: createSubtleCalls({ subtle: powers.subtle, now: powers.now, background, lane }),
    waitForAnswer(number, until) {
      for (;;) {
        const seen = Atomics.load(control.words, BELL);
        const answer = powers.takeSyncAnswer();
        if (answer !== undefined) {
          tellTaken(answer.number, 0, answer.bytes);
          // An answer to a call that ended while it waited is dropped.
          if (answer.number === number) return { number, ...unpackAnswer(answer) };
          continue;
        }
        const left = until - powers.now();
        if (left <= 0 || Atomics.load(control.words, CANCEL) === number) return undefined;
        sleepForAnswer(seen, left);
      }
    },
  };

  const calls = new Calls(environment, plugins);
  const resting = new RestingCalls({ ...environment, instances: () => afterBoot().instances });

  async function boot({ module, base: given, prepareToLoad, parking }: BootRequest): Promise<void> {
    const base = given ?? (await makeBaseImage(module));
    const restorer = trackedRestore(base);
    const instances = new Instances({
      ...{ module, restorer, fillRandom, slots: SLOTS, parking, suspends: "suspends" as const },
      onDropped: createDroppedMemory(powers),
    });
    booted = { restorer, instances };
    resting.isEager = parking === "always";
    outbox.send({ type: "ready", base });
    // Runs while the host reads plugins, so that the first call finds an instance.
    await instances.startAhead(unchanged(base), DEFAULT_LIMITS.memoryBytes);
    // A host that finds all plugins in its cache loads none now, but will soon compile an edited one.
    if (prepareToLoad) idling.after(PREPARE_AFTER_MS, () => void loadTypeCompiler());
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
      outbox.send({ type: "loaded", number: request.number, image: loaded.image, warnings: loaded.warnings });
      instances.giveBack(new Lease(loaded.image, lease.instance));
    } else {
      outbox.send({ type: "refused", number: request.number, fault: loaded.fault });
      instances.giveBack(lease);
    }
    tellWaiting();
    idling.begin();
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
    idling.begin();
    return promise;
  }

  function tellWaiting(): void {
    const { waiting, heldBytes, takenBytes } = afterBoot().instances;
    Atomics.store(control.words, WAITING, waiting);
    Atomics.store(control.words, HELD_KB, Math.ceil(heldBytes / 1024));
    Atomics.store(control.words, TAKEN_KB, Math.ceil(takenBytes / 1024));
  }

  function lane(number: number): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    slotGiven.set(number, () => {
      slotGiven.delete(number);
      resolve(() => outbox.send({ type: "lane", number, wants: false }));
    });
    outbox.send({ type: "lane", number, wants: true });
    return promise;
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
        return calls.queue(request);
      case "lane":
        return slotGiven.get(request.number)?.();
      case "answer":
      case "abort":
      case "end":
        return calls.hear(request);
    }
  }

  function serve(request: WorkerRequest): void {
    // A load may take long, and no guest polls meanwhile, so send the pending messages first.
    if (request.type === "load") outbox.flush();
    const more = receive(request);
    if (more !== undefined) background(more);
  }

  function background(more: Promise<void>): void {
    underWay++;
    more.catch(breakDown).finally(() => {
      underWay--;
      idling.begin();
    });
  }

  /** Reports a defect of the sandbox, which ends the worker. The host gives its calls to another worker or fails them. */
  function breakDown(defect: unknown): void {
    outbox.send({ type: "broken", message: defect instanceof Error ? (defect.stack ?? defect.message) : String(defect) });
    outbox.flush();
  }

  /** Takes all requests, because guests wait for them, then runs the next guest. */
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

  const idling = createIdleLoop({ ...powers, control }, serveNext, () => underWay > 0);
  powers.onMessage((envelope) => {
    inbox.add(envelope);
    idling.begin();
  });
}
