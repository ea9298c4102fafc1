/** The calls of one worker: starts them, resumes calls from other workers, and delivers the host's messages about them. */

import type { JsonSchema, Limits } from "../../manifests/mod.ts";
import { loadCompiler } from "../loading/compile.ts";
import type { Image } from "../engine/image.ts";
import type { Restorer } from "../image/restorer.ts";
import { INITIAL_MEMORY_PAGES, WASM_PAGE_BYTES } from "../engine/engine.ts";
import { InFlight } from "../wire/in-flight.ts";
import type { Instance } from "../engine/instance.ts";
import { unpackAnswer } from "../wire/marshal.ts";
import { openConditions } from "./tape/call-conditions.ts";
import { createModuleTable, type ModuleTable } from "../loading/modules.ts";
import type { RestingCall } from "../wire/resting-call.ts";
import { Run } from "./call/run.ts";
import type { RunEnvironment } from "./call/run-request.ts";
import { MAXIMUM_HELD_BYTES, whoHoldsMost } from "./held.ts";
import { FULL_BYTES } from "../wire/protocol.ts";
import type { Instances, Wanted } from "./instances.ts";
import { Lease } from "./lease.ts";
import { claim, exportKey, type WorkerRequest } from "../wire/protocol.ts";

/** A plugin in a worker. */
export interface Plugin {
  readonly image: Image;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Module table for imports during a call. Created with the first call. */
  modules: ModuleTable | undefined;
  /** Limits of the last call. A call carries its limits only if they differ. */
  limits: Limits | undefined;
  /** Output schema of the last call of each export; null if that call had none. */
  readonly outputSchemas: Map<string, JsonSchema | null>;
}

export function pluginOf(image: Image, files: ReadonlyMap<string, Uint8Array>): Plugin {
  return { image, files, modules: undefined, limits: undefined, outputSchemas: new Map() };
}

export interface CallsEnvironment extends RunEnvironment {
  afterBoot(): { readonly restorer: Restorer; readonly instances: Instances };
  /** Publishes the number of waiting calls to the host. */
  tellWaiting(): void;
  /** Reports that the bytes of an answer are in the guest, or will never be. */
  tellTaken(number: number, operation: number, bytes: Uint8Array | undefined): void;
}

type CallRequest = Extract<WorkerRequest, { type: "call" }>;
type LimitedRequest = Omit<CallRequest, "outputSchema"> & { readonly limits: Limits; readonly outputSchema: JsonSchema | undefined };
/** A message of the host about a call on this worker. */
type CallNews = Extract<WorkerRequest, { type: "answer" | "abort" | "end" }>;

interface BegunCall {
  readonly run: Run;
  readonly lease: Lease;
  readonly digest: string;
}

export class Calls {
  readonly #env: CallsEnvironment;
  readonly #plugins: ReadonlyMap<string, Plugin>;
  readonly #begun: InFlight<BegunCall> = new InFlight();
  /**
   * Calls from other workers that wait for their first slice here, by number: the ticket of the latest assignment, and the messages
   * since.
   */
  readonly #early: Map<number, { readonly ticket: number; readonly news: CallNews[] }> = new Map();

  constructor(env: CallsEnvironment, plugins: ReadonlyMap<string, Plugin>) {
    this.#env = env;
    this.#plugins = plugins;
  }

  /**
   * Queues a call. Looks up its plugin, limits and schema now, because the plugin may be forgotten before the call starts if the host
   * takes the call back.
   */
  queue(given: CallRequest): void {
    const plugin = this.#plugins.get(given.digest);
    // The host sends an image before the first call that needs it.
    if (plugin === undefined) throw new Error(`The worker has no image of ${given.digest}`);
    const { limits = plugin.limits } = given;
    if (limits === undefined) throw new Error(`The first call of ${given.digest} has no limits`);
    plugin.limits = limits;
    const request = { ...given, limits, outputSchema: schemaOf(given, plugin) };
    if (given.from !== undefined) this.#early.set(given.number, { ticket: given.ticket, news: [] });
    this.#env.scheduler.add(given.digest, "call", () => this.#haveTurn(request, plugin));
  }

  /** Handles an answer, abort or end from the host. */
  hear(news: CallNews): void {
    const { number } = news;
    const early = this.#early.get(number);
    if (early !== undefined) return void early.news.push(news);
    const run = this.#begun.get(number)?.run;
    if (news.type === "abort") return run?.abort();
    if (news.type === "end") return run?.end();
    const { operation } = news;
    const taken = (): void => this.#env.tellTaken(number, operation, news.bytes);
    if (run === undefined) return taken();
    const { answer, bytes } = unpackAnswer(news);
    return run.answered(operation, answer, bytes, taken);
  }

  /** Enforces the bound on memory held by waiting calls. Called when a call leaves the thread before it is over. */
  boundHeld(): void {
    const { instances } = this.#env.afterBoot();
    while (instances.heldBytes > MAXIMUM_HELD_BYTES) {
      const held = this.#begun.values().map((call) => ({ ...call, heldBytes: instances.heldBy(call.lease) }));
      const [holders, ending] = [held.filter(({ run }) => !run.isEnding), held.filter(({ run }) => run.isEnding)];
      // A suspended guest releases its memory once it has left the engine.
      const freed = ending.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
      const most = instances.heldBytes - freed > MAXIMUM_HELD_BYTES ? whoHoldsMost(holders) : undefined;
      if (most === undefined) break;
      most.run.end({ kind: "held_most", allowedBytes: MAXIMUM_HELD_BYTES });
    }
    this.#env.tellWaiting();
  }

  #haveTurn(request: LimitedRequest, plugin: Plugin): void {
    const { modules } = plugin;
    if (modules !== undefined && request.from !== undefined) return this.#goOn(request, plugin, modules, request.from);
    const lease = modules && this.#env.afterBoot().instances.leaseIdle(...wantedBy(request, plugin));
    if (lease !== undefined && modules !== undefined) return this.#begin(request, plugin, modules, lease);
    this.#env.background(this.#prepare(request, plugin));
    return this.#env.scheduler.left();
  }

  async #prepare(request: LimitedRequest, plugin: Plugin): Promise<void> {
    const { afterBoot, scheduler } = this.#env;
    const compiler = await loadCompiler(plugin.files, "call");
    plugin.modules ??= createModuleTable(plugin.files, compiler);
    const { modules } = plugin;
    const { from } = request;
    if (from !== undefined) return scheduler.add(request.digest, "call", () => this.#goOn(request, plugin, modules, from));
    const { instances } = afterBoot();
    const wanted = wantedBy(request, plugin);
    // An earlier call may have given its instance back meanwhile.
    const lease = instances.leaseIdle(...wanted) ?? (await instances.lease(...wanted));
    return scheduler.add(request.digest, "call", () => this.#begin(request, plugin, modules, lease));
  }

  #begin(request: LimitedRequest, plugin: Plugin, modules: ModuleTable, lease: Lease): void {
    const { control, scheduler, post, afterBoot } = this.#env;
    const { instances } = afterBoot();
    if (!claim(control, request.ticket)) {
      instances.giveBack(lease);
      return scheduler.left();
    }
    if (instances.heldBytes >= FULL_BYTES) {
      instances.giveBack(lease);
      post({ type: "full", number: request.number });
      return scheduler.left();
    }
    return this.#open(request, plugin, modules, lease).start();
  }

  /** Takes over a waiting call from another worker. The call needs no instance yet. */
  #goOn(request: LimitedRequest, plugin: Plugin, modules: ModuleTable, { guest, state }: RestingCall): void {
    const { control, scheduler, afterBoot } = this.#env;
    const { number, ticket } = request;
    const early = this.#early.get(number);
    // The host has taken the call back and assigned it here again. The stored messages belong to that assignment.
    if (early?.ticket !== ticket) return scheduler.left();
    this.#early.delete(number);
    if (claim(control, ticket)) {
      const [image, memoryBytes] = wantedBy(request, plugin);
      const pages = Math.ceil(memoryBytes / WASM_PAGE_BYTES);
      const lease = new Lease(image, guest, pages);
      afterBoot().instances.adopt(lease);
      const run = this.#open(request, plugin, modules, lease);
      // The guest's size comes from another worker, which is not trusted.
      if (guest.memoryBytes > Math.max(pages, INITIAL_MEMORY_PAGES) * WASM_PAGE_BYTES)
        run.end({ kind: "trap", message: "The call does not fit" });
      else run.goOn(state);
      this.boundHeld();
    }
    for (const item of early.news) this.hear(item);
    scheduler.left();
  }

  #open(request: LimitedRequest, plugin: Plugin, modules: ModuleTable, lease: Lease): Run {
    const { afterBoot, tellWaiting } = this.#env;
    const { restorer, instances } = afterBoot();
    const { number, digest, words, limits, outputSchema, from, state } = request;
    const keep = state === undefined ? {} : { capture: (instance: Instance): Image => restorer.capture(instance) };
    const conditions = openConditions(request.conditions, this.#env);
    if (conditions?.isSeeded === true) instances.reseed(lease, conditions.local.randomBytes);
    const known = { number, digest, words, limits, outputSchema, files: plugin.files, modules, conditions, ...keep };
    const run = new Run({ ...known, ...(from && { from: from.state }) }, lease, this.#env, () => {
      this.#begun.delete(number);
      instances.giveBack(lease);
      tellWaiting();
    });
    this.#begun.set(number, { run, lease, digest });
    return run;
  }
}

/** Returns the image, memory limit and randomness for a call. The limit is at least the size of its image. */
function wantedBy({ state, limits }: LimitedRequest, plugin: Plugin): Wanted {
  const image = state?.image ?? plugin.image;
  return [image, Math.max(limits.memoryBytes, image.heapEnd), "fresh"];
}

/** Returns the call's output schema, or that of the last call of the same export. Most plugins have none. */
function schemaOf({ words: [module, name], outputSchema }: CallRequest, { outputSchemas }: Plugin): JsonSchema | undefined {
  if (outputSchema === undefined && outputSchemas.size === 0) return undefined;
  const exported = exportKey(module, name);
  if (outputSchema !== undefined) outputSchemas.set(exported, outputSchema);
  return outputSchemas.get(exported) ?? undefined;
}
