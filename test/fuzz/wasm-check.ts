/**
 * Runs one random module, original and rewritten, side by side. Checks that results, traps, memory, globals and host calls are equal,
 * every written byte is marked, the fuel equals the module's own count, the host can end it, and the module's restore function restores
 * the memory afterwards.
 */

import { MARK_SHIFT, OVERHANG_BYTES } from "../../sandbox/wasm/barrier.ts";
import { SHADOW } from "../../sandbox/wasm/restore.ts";
import {
  FUEL_EXPORT,
  RESTORE_EXPORT,
  rewriteEngine,
  type RewriteOptions,
  SHADOW_EXPORT,
  SUSPEND_IMPORT,
  TICK_IMPORT,
} from "../../sandbox/wasm/rewrite.ts";
import { createRandom, type Random } from "./random.ts";
import { BASE, type FuzzModule, MAXIMUM_PAGES, randomModule } from "./wasm-module.ts";
import type { ValueType } from "./wasm-operators.ts";

/** Budget of loop iterations and calls after which a call traps, the same on every build. */
const BUDGET = 400;
/** Budget of runs that the host ends: more than the host allows. */
const ENDLESS = 0x7fff_ffff;

/** Small, so that most bulk operations are split into pieces. */
const PIECES = { interpreter: false, pieceBytes: 256 } as const;

const BUILDS: Readonly<Record<string, RewriteOptions>> = {
  barrier: { barrier: true, meter: false },
  meter: { barrier: false, meter: true, interpreter: false },
  both: { barrier: true, meter: true, interpreter: false },
  pieces: { barrier: true, meter: true, ...PIECES },
};

interface Call {
  readonly name: string;
  readonly args: readonly (number | bigint)[];
  /** Fuel per portion. */
  readonly portion: number;
}

/** @returns the problems found, deterministic for the same seed; empty if there are none */
export function checkModule(seed: number): readonly string[] {
  const random = createRandom(seed ^ 0x5eed);
  const module = randomModule(seed);
  const calls = randomCalls(random, module);
  const problems: string[] = [];
  const expected = observe(start(module, module.bytes), calls, problems);
  for (const [name, options] of Object.entries(BUILDS)) {
    const bytes = rewriteEngine(module.bytes, options);
    const seen = observe(start(module, bytes), calls, problems);
    compare(`${name}: `, expected, seen, problems);
    if (!options.meter) continue;
    if (seen.fuel.join() !== expected.units.join()) problems.push(`${name}: fuel ${seen.fuel.join()} instead of ${expected.units.join()}`);
    const again = observe(start(module, bytes), calls, problems);
    if (again.fuel.join() !== seen.fuel.join()) problems.push(`${name}: fuel ${again.fuel.join()} after ${seen.fuel.join()}`);
    interrupt(start(module, bytes), calls, random.between(1, 20), problems);
  }
  return problems;
}

function randomCalls(random: Random, { functions }: FuzzModule): readonly Call[] {
  return functions.flatMap(({ takes }, index) =>
    Array.from({ length: 2 }, () => ({
      name: `f${index}`,
      args: takes.map((type) => randomArgument(random, type)),
      portion: random.pick([1, 2, 10, 100, 1_000]),
    })),
  );
}

function randomArgument(random: Random, type: ValueType): number | bigint {
  if (type === "i64") return BigInt(random.bits());
  return type === "i32" ? random.bits() : random.bits() / 8;
}

class HostEnded extends Error {}

interface Running {
  /** Undefined if the module trapped at its start. */
  readonly exports: Record<string, unknown> | undefined;
  readonly trap: string;
  readonly memory: WebAssembly.Memory;
  readonly shared: WebAssembly.Global;
  readonly heard: string[];
  /** Called when the fuel is used up. */
  tick: () => void;
}

function start(module: FuzzModule, bytes: Uint8Array): Running {
  const memory = new WebAssembly.Memory({ initial: module.memoryPages, maximum: MAXIMUM_PAGES });
  // The project's own declaration of the WebAssembly API only contains what the sandbox uses.
  const Global = WebAssembly.Global as unknown as new (type: object, value: unknown) => WebAssembly.Global;
  const shared = new Global({ value: "i64", mutable: true }, 5n);
  const heard: string[] = [];
  const running = { memory, shared, heard, tick: () => {} };
  const imports = {
    a: {
      memory,
      note: (value: number) => void heard.push(`note ${value}`),
      mix: (left: unknown, right: unknown) => {
        heard.push(`mix ${String(left)} ${String(right)}`);
        return [heard.length, BigInt(heard.length) * 77n];
      },
      base: BASE,
      shared,
    },
    [TICK_IMPORT.module]: { [TICK_IMPORT.name]: () => running.tick(), [SUSPEND_IMPORT.name]: () => {} },
  };
  try {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
    return Object.assign(running, { exports: instance.exports, trap: "" });
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return Object.assign(running, { exports: undefined, trap: error.message });
  }
}

interface Observed {
  /** One text per call, to compare. */
  readonly outcomes: readonly string[];
  readonly memories: readonly Uint8Array[];
  /** The module's own count, per call. */
  readonly units: readonly number[];
  readonly fuel: readonly number[];
}

function observe(running: Running, calls: readonly Call[], problems: string[]): Observed {
  const outcomes: string[] = [running.trap];
  const memories: Uint8Array[] = [new Uint8Array(running.memory.buffer.slice(0))];
  const units: number[] = [];
  const fuel: number[] = [];
  for (const call of running.exports === undefined ? [] : calls) {
    const spent = meterFor(running, call.portion, Infinity);
    globalOf(running, "units").value = 0;
    outcomes.push(`${call.name}(${call.args.join()}): ${marked(running, BUDGET, call, problems)} ${stateOf(running)}`);
    memories.push(new Uint8Array(running.memory.buffer.slice(0)));
    units.push(globalOf(running, "units").value >>> 0);
    fuel.push(spent());
  }
  return { outcomes, memories, units, fuel };
}

/** Refills the fuel in portions, `ticks` times. @returns a function for the amount used */
function meterFor(running: Running, portion: number, ticks: number): () => number {
  if (running.exports?.[FUEL_EXPORT] === undefined) return () => 0;
  const left = globalOf(running, FUEL_EXPORT);
  let before = 0;
  let leftTicks = ticks;
  left.value = portion;
  running.tick = () => {
    if (left.value > 0) throw new Error(`The host was called with ${left.value} units left`);
    before += portion - left.value;
    left.value = portion;
    if (--leftTicks <= 0) throw new HostEnded();
  };
  return () => before + portion - left.value;
}

/** Calls a function and checks that every changed byte is marked. @returns the outcome as text */
function marked(running: Running, budget: number, call: Call, problems: string[]): string {
  const { exports = {}, memory } = running;
  const before = new Uint8Array(memory.buffer.slice(0));
  const shadow = shadowOf(running);
  const pages = shadow && new Uint8Array(shadow.buffer, 0, SHADOW.marksBytes);
  pages?.fill(0, 0, memory.buffer.byteLength >> MARK_SHIFT);
  globalOf(running, "budget").value = budget;
  const outcome = outcomeOf(exports[call.name] as (...args: readonly (number | bigint)[]) => unknown, call.args);
  if (pages !== undefined) {
    const missed = unmarkedChange(before, new Uint8Array(memory.buffer), pages);
    if (missed !== undefined) problems.push(`${call.name}(${call.args.join()}) wrote ${missed} without a mark`);
  }
  return outcome;
}

function shadowOf({ exports = {} }: Running): WebAssembly.Memory | undefined {
  const shadow = exports[SHADOW_EXPORT];
  return shadow instanceof WebAssembly.Memory ? shadow : undefined;
}

function unmarkedChange(before: Uint8Array, after: Uint8Array, marks: Uint8Array): number | undefined {
  for (let block = 0; block < after.length; block += BLOCK_BYTES) {
    if (Buffer.compare(before.subarray(block, block + BLOCK_BYTES), after.subarray(block, block + BLOCK_BYTES)) === 0) continue;
    for (let address = block; address < block + BLOCK_BYTES; address++) {
      if (after[address] === (before[address] ?? 0)) continue;
      const page = address >> MARK_SHIFT;
      const hangsOver = address % (1 << MARK_SHIFT) < OVERHANG_BYTES && page > 0 && marks[page - 1] === 1;
      if (marks[page] !== 1 && !hangsOver) return address;
    }
  }
  return undefined;
}

/** Compares in large steps first, because most of the memory did not change. */
const BLOCK_BYTES = 8_192;

function outcomeOf(run: (...args: readonly (number | bigint)[]) => unknown, args: readonly (number | bigint)[]): string {
  try {
    return `gave ${String(run(...args))}`;
  } catch (error) {
    if (error instanceof HostEnded) return "ended";
    // The limit of V8's own stack depends on the size of frames.
    if (error instanceof RangeError) return "stack";
    if (error instanceof WebAssembly.RuntimeError) return `trapped: ${error.message}`;
    throw error;
  }
}

/** Returns everything except memory that a call may change. */
function stateOf({ exports = {}, shared, heard }: Running): string {
  const globals = Object.entries(exports).flatMap(([name, value]) =>
    value instanceof WebAssembly.Global && !name.startsWith("bascule:") ? [`${name}=${String(value.value)}`] : [],
  );
  return [...globals, `shared=${String(shared.value)}`, ...heard.splice(0)].join(" ");
}

function globalOf({ exports = {} }: Running, name: string): WebAssembly.Global {
  const value = exports[name];
  if (value instanceof WebAssembly.Global) return value;
  throw new Error(`The module does not export the global "${name}"`);
}

function compare(build: string, expected: Observed, seen: Observed, problems: string[]): void {
  expected.outcomes.forEach((outcome, index) => {
    if (seen.outcomes[index] !== outcome) problems.push(`${build}${seen.outcomes[index] ?? "nothing"} instead of ${outcome}`);
    const [left, right] = [expected.memories[index], seen.memories[index]];
    if (left !== undefined && right !== undefined && Buffer.compare(left, right) !== 0)
      problems.push(`${build}memory differs after ${outcome}`);
  });
}

/** Runs endless calls, which the host ends at tick number `ticks`, wherever they are. */
function interrupt(running: Running, calls: readonly Call[], ticks: number, problems: string[]): void {
  for (const call of running.exports === undefined ? [] : calls) {
    const spent = meterFor(running, call.portion, ticks);
    const units = globalOf(running, "units");
    units.value = 0;
    keepClean(running);
    const before = new Uint8Array(running.memory.buffer.slice(0));
    const outcome = marked(running, ENDLESS, call, problems);
    restore(running, before, call, problems);
    if (outcome === "stack") continue;
    const ahead = spent() - (units.value >>> 0);
    if (outcome === "ended" ? ahead > 1 || ahead < -MOST_AT_ONCE : ahead !== 0)
      problems.push(`${call.name} ${outcome} with ${spent()} units, not ${units.value}`);
  }
}

/**
 * Maximum difference of the counts. The meter counts an iteration before the module does, but a long operation piece by piece, up to all
 * of memory.
 */
const MOST_AT_ONCE = (MAXIMUM_PAGES * 65_536) / 64;

const PAGE_BYTES = 1 << MARK_SHIFT;
const MOST_PAGES = (MAXIMUM_PAGES * 65_536) / PAGE_BYTES;
/** Offset of the clean bytes in the table's terms, behind a table for all of memory. */
const CLEAN = SHADOW.table - SHADOW.origin + MOST_PAGES * 4;

/** Sets the current memory as the clean bytes of the restore function. Pages added later are zero. */
function keepClean(running: Running): void {
  const shadow = shadowOf(running);
  if (shadow === undefined) return;
  const missing = SHADOW.origin + CLEAN + MOST_PAGES * PAGE_BYTES - shadow.buffer.byteLength;
  if (missing > 0) shadow.grow(Math.ceil(missing / 65_536));
  const table = new Uint32Array(shadow.buffer, SHADOW.table, MOST_PAGES).fill(0);
  const now = new Uint8Array(running.memory.buffer);
  new Uint8Array(shadow.buffer).set(now, SHADOW.origin + CLEAN);
  for (let page = 0; page < now.length / PAGE_BYTES; page++) table[page] = CLEAN + page * PAGE_BYTES;
}

function restore(running: Running, before: Uint8Array, call: Call, problems: string[]): void {
  // The rewriter's function, present on a build with a barrier.
  const run = running.exports?.[RESTORE_EXPORT] as (() => void) | undefined;
  if (run === undefined) return;
  run();
  const after = new Uint8Array(running.memory.buffer);
  const expected = new Uint8Array(after.length);
  expected.set(before);
  if (Buffer.compare(after, expected) !== 0) problems.push(`${call.name}(${call.args.join()}) is not restored`);
  const marks = new Uint8Array(shadowOf(running)?.buffer ?? new ArrayBuffer(0), 0, after.length / PAGE_BYTES);
  if (marks.includes(1)) problems.push(`${call.name}(${call.args.join()}) leaves marks`);
}
