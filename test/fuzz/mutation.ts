/** Damaged modules: for any bytes, the rewriter returns a valid module with the same behaviour or throws an error. */

import { METERED_ENGINE } from "../../sandbox/pool/engine-build.ts";
import { WasmFormatError } from "../../sandbox/wasm/binary.ts";
import { FUEL_EXPORT, rewriteEngine, type RewriteOptions, SUSPEND_IMPORT, TICK_IMPORT } from "../../sandbox/wasm/rewrite.ts";
import { parseSections, SECTION } from "../../sandbox/wasm/sections.ts";
import { createRandom, type Random } from "./random.ts";
import { randomModule } from "./wasm-module.ts";

const ANY_MODULE: RewriteOptions = { barrier: true, meter: true, interpreter: false };

/** Damages a small random module. @returns the problems found; empty if there are none */
export function checkDamagedModule(seed: number): readonly string[] {
  const random = createRandom(seed ^ 0xdab);
  return problemsOf(damage(random, randomModule(seed).bytes, 0), ANY_MODULE);
}

/** Damages the real engine. If it is still an engine, its functions are called on both builds. */
export function checkDamagedEngine(seed: number, engine: Uint8Array): readonly string[] {
  const random = createRandom(seed ^ 0xe91);
  const damaged = damage(random, engine, random.oneIn(3) ? 0 : codeStart(engine));
  const problems = problemsOf(damaged, METERED_ENGINE);
  return problems.length > 0 || !WebAssembly.validate(damaged) ? problems : behavesDifferently(damaged, random);
}

/** Returns the start of the code, which is most of the bytes. The rest are names, types and data. */
function codeStart(engine: Uint8Array): number {
  const code = parseSections(engine).get(SECTION.code);
  return code === undefined ? 0 : code.byteOffset;
}

function damage(random: Random, bytes: Uint8Array, from: number): Uint8Array {
  let rest: Uint8Array = bytes.slice(from);
  for (let left = random.pick([1, 1, 1, 2, 5]); left > 0; left--) rest = damageOnce(random, rest);
  const whole = new Uint8Array(from + rest.length);
  whole.set(bytes.subarray(0, from));
  whole.set(rest, from);
  return whole;
}

function damageOnce(random: Random, bytes: Uint8Array): Uint8Array {
  const at = random.below(bytes.length);
  const changed = bytes.slice();
  switch (random.below(7)) {
    case 0:
      changed[at] = random.below(256);
      return changed;
    case 1:
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
      return changed;
    case 2:
      changed[at] = ((changed[at] ?? 0) + random.pick([1, -1, 0x80])) & 0xff;
      return changed;
    case 3: // truncate
      return changed.slice(0, at);
    case 4: // remove a piece
      return new Uint8Array([...changed.subarray(0, at), ...changed.subarray(at + random.between(1, 9))]);
    case 5: // duplicate a piece
      return new Uint8Array([...changed.subarray(0, at), ...changed.subarray(Math.max(0, at - random.between(1, 9)))]);
    default: // copy a piece from elsewhere
      changed.set(bytes.subarray(at, at + random.between(1, 16)), Math.floor(at / 2));
      return changed;
  }
}

function problemsOf(bytes: Uint8Array, options: RewriteOptions): readonly string[] {
  try {
    const rewritten = rewriteEngine(bytes, options);
    if (!WebAssembly.validate(bytes)) return ["an invalid module became a valid one"];
    return WebAssembly.validate(rewritten) ? [] : ["a valid module became an invalid one"];
  } catch (error) {
    if (error instanceof WasmFormatError) return [];
    return [`threw an unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
}

/** Fuel for one exported function. */
const PORTION = 100_000;

class HostEnded extends Error {}

/** Calls some exported functions with a small number, on zeroed memory. Starts with the rewritten one, which always terminates. */
function behavesDifferently(bytes: Uint8Array, random: Random): readonly string[] {
  let rewritten: Uint8Array;
  try {
    rewritten = rewriteEngine(bytes, METERED_ENGINE);
  } catch {
    // Refused, which is allowed.
    return [];
  }
  const names = functionsOf(bytes);
  for (let left = CALLS; left > 0; left--) {
    const name = names[random.below(names.length)];
    const argument = random.pick([0, 8, 64, 65_536]);
    if (name === undefined) break;
    const metered = outcomeOf(rewritten, name, argument);
    if (metered === "ended") continue;
    const plain = outcomeOf(bytes, name, argument);
    if (plain !== metered && plain !== "ended") return [`${name}(${argument}) ${metered} instead of ${plain}`];
  }
  return [];
}

const CALLS = 3;

function functionsOf(bytes: Uint8Array): readonly string[] {
  return WebAssembly.Module.exports(new WebAssembly.Module(bytes)).flatMap(({ name, kind }) => (kind === "function" ? [name] : []));
}

const modules = new WeakMap<Uint8Array, WebAssembly.Module>();

function outcomeOf(bytes: Uint8Array, name: string, argument: number): string {
  const module = modules.get(bytes) ?? new WebAssembly.Module(bytes);
  modules.set(bytes, module);
  const memory = new WebAssembly.Memory({ initial: 256, maximum: 512 });
  const imports: Record<string, WebAssembly.ImportValue> = {};
  for (const wanted of WebAssembly.Module.imports(module)) imports[wanted.name] = wanted.kind === "memory" ? memory : () => 0;
  let ticks = 0;
  const tick = (): void => {
    // The first tick belongs to the module's start.
    if (ticks++ > 0) throw new HostEnded();
    refill();
  };
  let refill = (): void => {};
  let outcome: string;
  try {
    const { exports } = new WebAssembly.Instance(module, {
      a: imports,
      [TICK_IMPORT.module]: { [TICK_IMPORT.name]: tick, [SUSPEND_IMPORT.name]: () => {} },
    });
    const { [FUEL_EXPORT]: fuel, [name]: run } = exports;
    refill = () => {
      if (fuel instanceof WebAssembly.Global) fuel.value = PORTION;
    };
    ticks = 1;
    refill();
    // The name is that of an exported function.
    outcome = `gives ${String((run as (...args: readonly number[]) => unknown)(argument, argument, argument, argument))}`;
  } catch (error) {
    if (error instanceof HostEnded || error instanceof RangeError) return "ended";
    outcome = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return `${outcome}, memory ${digest(memory)}`;
}

/** Distinguishes different memories. Not for security. */
function digest(memory: WebAssembly.Memory): string {
  const words = new Int32Array(memory.buffer);
  let sum = words.length;
  for (let index = 0; index < words.length; index++) sum = (Math.imul(sum, 31) + (words[index] ?? 0)) | 0;
  return sum.toString(16);
}
