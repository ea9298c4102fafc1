/**
 * The soak: good and hostile calls of many plugins for any duration, while plugins are edited, calls cancelled and workers killed. Runs
 * laps of traffic. After each lap all work has ended, garbage is collected, and memory is measured.
 */

import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createHost, type Host, type Session, type ToolResult } from "../../host/mod.ts";
import { heldSince, whatIsHeld } from "./held.ts";
import { startLocalServer } from "./local-server.ts";
import { type AtRest, judgeMemory, judgeRest, toMb } from "./memory.ts";
import { breakPlugin, COPIES, editPlugin, writePlugins } from "./plugins.ts";
import { type Draw, drawCall, GOOD_TOOLS, goodCall, type Wish, type World } from "./traffic.ts";
import { type WatchedWorkers, watchWorkers } from "./workers.ts";

export interface SoakOptions {
  readonly milliseconds: number;
  readonly seed: number;
  /** Prints a progress line. */
  readonly say: (line: string) => void;
}

export interface SoakReport {
  readonly calls: number;
  readonly reloads: number;
  readonly kills: number;
  /** Number of calls with effects whose worker was ended, or that ran on a killed worker (SPEC B10). */
  readonly lost: number;
  readonly canaryCalls: number;
  readonly canaryWorstMs: number;
  readonly residentBytes: readonly number[];
  /** Undefined for a soak of less than a minute, because a host takes half a minute to come to rest. */
  readonly atRest: AtRest | undefined;
  /** Must be empty. */
  readonly problems: readonly string[];
}

const CONCURRENCY = 16;
const LAPS = 40;
const SHORTEST_LAP_MS = 500;
const KILL_EVERY_MS = 4_000;
/** Time for threads, sockets and served versions to settle. */
const SETTLE_WITHIN_MS = 30_000;
/** A host's worker and its spare. */
const WORKERS_AT_REST = 2;
/** After workers have ended, V8 keeps their pages for reuse for 8 s. */
const PAGES_KEPT_MS = 10_000;
const REST_LOOKED_AT_FROM_MS = 60_000;
const MOST_PROBLEMS = 50;
const SILENT = { write: () => undefined, child: () => SILENT };

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-soak-"));
  await mkdir(join(folder, "workspace", "files"), { recursive: true });
  await writePlugins(join(folder, "plugins"));
  using workers = watchWorkers();
  // Excludes resources that a process opens once and keeps open.
  await (await createHost({ config: false, plugins: [join(folder, "plugins")], workspace: folder, watch: true, logger: SILENT })).close();
  const before = whatIsHeld();
  const temporary = await readdir(tmpdir());

  const server = await startLocalServer();
  const host = await startHost(folder, server.url);
  const soaking = new Soaking(host, workers, options, { folder, world: { url: server.url, folder: "files" } });
  const looksAtRest = options.milliseconds >= REST_LOOKED_AT_FROM_MS;
  const beforeBytes = looksAtRest ? await soaking.restedBytes() : 0;
  await soaking.run();
  const atRest = looksAtRest ? { beforeBytes, afterBytes: await soaking.restedBytes() } : undefined;
  await host.close();
  await server[Symbol.asyncDispose]();

  const problems = [...soaking.problems];
  const grown = judgeMemory(soaking.residentBytes);
  if (grown !== undefined) problems.push(grown);
  const kept = atRest && judgeRest(atRest);
  if (kept !== undefined) problems.push(kept);
  const mayBeLost = soaking.kills * CONCURRENCY + soaking.calls / 200;
  if (soaking.lost > mayBeLost) problems.push(`${soaking.lost} calls were lost with their workers, more than ${Math.round(mayBeLost)}`);
  const left = await waitForNone(() => [...heldSince(before), ...(workers.alive() > 0 ? [`${workers.alive()} × worker`] : [])]);
  problems.push(...left.map((one) => `Left after close(): ${one}`));
  const files = (await readdir(tmpdir())).filter((name) => !temporary.includes(name));
  problems.push(...files.map((name) => `Left after close(): the temporary file ${name}`));
  await rm(folder, { recursive: true, force: true });
  const { calls, reloads, kills, lost, canaryCalls, canaryWorstMs, residentBytes } = soaking;
  return { calls, reloads, kills, lost, canaryCalls, canaryWorstMs, residentBytes, atRest, problems };
}

async function startHost(folder: string, url: string): Promise<Host> {
  const grant = { read: ["$workspace"], write: ["$workspace"], net: [new URL(url).host] };
  const plugins = Array.from({ length: COPIES }, (_, copy) => [`good${copy}`, `hostile${copy}`]).flat();
  return await createHost({
    config: { policy: { rules: [{ pattern: "*", confirm: "auto" }] } },
    plugins: [join(folder, "plugins")],
    workspace: join(folder, "workspace"),
    grants: Object.fromEntries(plugins.map((plugin) => [plugin, grant])),
    watch: true,
    logger: SILENT,
  });
}

class Soaking {
  readonly problems: string[] = [];
  readonly residentBytes: number[] = [];
  calls = 0;
  reloads = 0;
  kills = 0;
  lost = 0;
  canaryCalls = 0;
  canaryWorstMs = 0;
  readonly #host: Host;
  readonly #workers: WatchedWorkers;
  readonly #options: SoakOptions;
  readonly #folder: string;
  readonly #world: World;
  readonly #draw: Draw;
  readonly #versions: number[] = Array.from({ length: COPIES }, () => 0);
  #nonces = 0;
  #lastKillAt = -Infinity;

  constructor(host: Host, workers: WatchedWorkers, options: SoakOptions, place: { readonly folder: string; readonly world: World }) {
    this.#host = host;
    this.#workers = workers;
    this.#options = options;
    this.#folder = place.folder;
    this.#world = place.world;
    this.#draw = seeded(options.seed);
  }

  async run(): Promise<void> {
    const { milliseconds, say } = this.#options;
    const lapMs = Math.max(SHORTEST_LAP_MS, milliseconds / LAPS);
    const endBy = performance.now() + milliseconds;
    while (performance.now() < endBy && this.problems.length < MOST_PROBLEMS) {
      await this.#lap(performance.now() + lapMs);
      this.residentBytes.push(await this.#residentAtRest());
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      const memory = `resident ${toMb(this.residentBytes.at(-1) ?? 0)}, heap ${toMb(heapUsed)}, external ${toMb(external)} (buffers ${toMb(arrayBuffers)})`;
      say(`${this.calls} calls, ${this.reloads} reloads, ${this.kills} kills; ${memory}; ${this.problems.length} problems`);
    }
  }

  /** Returns the resident bytes once the host is at rest, with one worker and its spare. */
  async restedBytes(): Promise<number> {
    for (const tool of GOOD_TOOLS) await this.#call(goodCall(tool, "good0", this.#world, this.#nonce()), this.#host.session());
    const isAtRest = await holdsWithin(SETTLE_WITHIN_MS, () => Promise.resolve(this.#workers.sandboxes() === WORKERS_AT_REST));
    if (!isAtRest) this.problems.push(`${this.#workers.sandboxes()} workers exist at rest instead of ${WORKERS_AT_REST}`);
    await pause(PAGES_KEPT_MS);
    return await this.#residentAtRest();
  }

  /** Runs traffic until `endBy`, and waits until all started calls have ended. */
  async #lap(endBy: number): Promise<void> {
    const isOver = (): boolean => performance.now() >= endBy || this.problems.length >= MOST_PROBLEMS;
    const session = this.#host.session({ concurrency: CONCURRENCY });
    const canary = this.#host.session();
    await Promise.all([
      ...Array.from({ length: CONCURRENCY }, () =>
        repeat(isOver, () => this.#call(drawCall(this.#draw, this.#world, this.#nonce()), session)),
      ),
      repeat(isOver, () => this.#askCanary(canary)),
      repeat(isOver, () => this.#edit(canary)),
      this.#killNowAndThen(isOver),
    ]);
  }

  async #call(request: Wish, session: Session): Promise<void> {
    const begin = performance.now();
    const { cancelMs } = request;
    const signal = cancelMs === undefined ? undefined : AbortSignal.timeout(cancelMs);
    const result = await this.#host.call(request.tool, request.args, { session, ...(signal && { signal }) });
    this.calls++;
    const wrong = request.judge(result);
    if (wrong === undefined) return;
    if (isLoss(result, this.#lastKillAt >= begin)) this.lost++;
    else this.problems.push(`${request.tool}: ${wrong}`);
  }

  async #askCanary(session: Session): Promise<void> {
    const begin = performance.now();
    await this.#call(goodCall("canary", "canary0", this.#world, this.#nonce()), session);
    this.canaryCalls++;
    this.canaryWorstMs = Math.max(this.canaryWorstMs, performance.now() - begin);
    await pause(5);
  }

  /** Edits a plugin, and checks that valid versions are served soon and invalid ones are not. */
  async #edit(session: Session): Promise<void> {
    const copy = Math.floor(this.#draw() * COPIES);
    const root = join(this.#folder, "plugins");
    const isBroken = this.#draw() < 0.1;
    if (isBroken) await breakPlugin(root, copy);
    else await editPlugin(root, copy, (this.#versions[copy] = (this.#versions[copy] ?? 0) + 1));
    await this.#host.reload();
    const wanted = this.#versions[copy];
    let found: unknown;
    const isServed = async (): Promise<boolean> => {
      const result = await this.#host.call(`edited${copy}_version`, {}, { session });
      this.calls++;
      found = result.ok ? result.output : result.error;
      return result.ok && (result.output as { readonly version?: unknown }).version === wanted;
    };
    if (await holdsWithin(SETTLE_WITHIN_MS, isServed)) this.reloads++;
    else
      this.problems.push(
        `edited${copy} answers ${JSON.stringify(found)}, instead of version ${wanted}${isBroken ? ", the last that compiles" : ""}`,
      );
  }

  async #killNowAndThen(isOver: () => boolean): Promise<void> {
    let at = performance.now() + KILL_EVERY_MS * this.#draw();
    await repeat(isOver, async () => {
      await pause(20);
      if (performance.now() < at) return;
      at += KILL_EVERY_MS;
      if (!this.#workers.kill(this.#draw)) return;
      this.kills++;
      this.#lastKillAt = performance.now();
    });
  }

  /** Returns the resident bytes after repeated collections here and in the workers, once they stop decreasing. */
  async #residentAtRest(): Promise<number> {
    let least = Infinity;
    for (let tries = 0; tries < 4; tries++) {
      this.#workers.collect();
      globalThis.gc?.();
      await pause(50);
      least = Math.min(least, process.memoryUsage.rss());
    }
    return least;
  }

  #nonce(): string {
    return `n${this.#options.seed}-${this.#nonces++}`;
  }
}

/** True if the result shows that the call's worker was ended. */
function isLoss(result: ToolResult, wasKilled: boolean): boolean {
  if (result.ok) return false;
  const { code, message } = result.error;
  return code === "unavailable" || (wasKilled && code === "tool_failed" && message.startsWith("The engine stopped"));
}

async function repeat(isOver: () => boolean, act: () => Promise<void>): Promise<void> {
  while (!isOver()) await act();
}

async function holdsWithin(milliseconds: number, condition: () => Promise<boolean>): Promise<boolean> {
  const endBy = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > endBy) return false;
    await pause(10);
  }
  return true;
}

/** @returns the remaining items when the time is over */
async function waitForNone(list: () => readonly string[]): Promise<readonly string[]> {
  await holdsWithin(SETTLE_WITHIN_MS, async () => {
    globalThis.gc?.();
    return list().length === 0;
  });
  return list();
}

/** A small generator (mulberry32), sufficient for choices. */
function seeded(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
