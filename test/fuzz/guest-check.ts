/** Compares one program on the published and the rewritten engine: same output, same memory, and no remains after a restore. */

import { EngineInterrupted } from "../../sandbox/engine/fuel.ts";
import { GuestException } from "../../sandbox/engine/guest-values.ts";
import { plainCopy } from "../../sandbox/image/plain-copy.ts";
import type { Instance } from "../../sandbox/engine/instance.ts";
import { trackedRestore } from "../../sandbox/image/tracked-restore.ts";
import { engineModule, type InThreadPlugin, loadInThread, meteredModule } from "../support/in-thread.ts";
import { PROGRAM_RUNNER } from "./guest-program.ts";

/** Size above which an instance is replaced, because comparing its memory would take long. */
const LARGE_BYTES = 24 << 20;
const NOW = Date.UTC(2026, 3, 5, 6, 7, 8);

export interface ProgramOutcome {
  /** Empty if the engines agree. */
  readonly problems: readonly string[];
  readonly output: string;
  /** Fuel counted by the rewritten engine. */
  readonly fuel: number;
}

/** Runs programs on pairs of instances that are reused. */
export class ProgramCheck {
  #plain: Runner | undefined;
  #metered: Runner | undefined;
  /** Address of the rewritten engine's rejection hook in the heap: the only word that the other engine leaves empty. */
  #hook: number | undefined;

  async check(program: string): Promise<ProgramOutcome> {
    this.#plain = await fresh(this.#plain, plainCopy, engineModule);
    this.#metered = await fresh(this.#metered, trackedRestore, meteredModule);
    this.#hook ??= onlyWord(heapOf(this.#plain.plugin.instance), heapOf(this.#metered.plugin.instance));
    const problems: string[] = [];
    const plain = run(this.#plain, program);
    const metered = run(this.#metered, program);
    const fuel = this.#metered.plugin.instance.fuelSpent;
    // The point at which time, stack or memory runs out depends on the machine and on the build's frames and initial memory.
    if (![this.#plain, this.#metered].some((runner) => isCut(runner))) {
      if (plain !== metered) problems.push(`gives ${metered.slice(0, 500)} instead of ${plain.slice(0, 500)}`);
      const heap = heapOf(this.#metered.plugin.instance).fill(0, this.#hook, this.#hook + 4);
      const differs = firstDifference(heapOf(this.#plain.plugin.instance), heap);
      if (differs !== undefined) problems.push(`leaves another memory than on the published engine: ${differs}`);
      this.#restored(problems);
      const again = run(this.#metered, program);
      if (again !== metered && !isCut(this.#metered))
        problems.push(`gives ${again.slice(0, 500)} the second time instead of ${metered.slice(0, 500)}`);
      const fuelAgain = this.#metered.plugin.instance.fuelSpent;
      if (fuelAgain !== fuel && !isCut(this.#metered)) problems.push(`uses ${fuelAgain} units the second time instead of ${fuel}`);
    }
    this.#restored(problems);
    return { problems, output: metered, fuel };
  }

  #restored(problems: string[]): readonly string[] {
    for (const runner of [this.#plain, this.#metered]) {
      if (runner === undefined) continue;
      runner.plugin.restore();
      const { bytes } = runner.plugin.instance;
      if (Buffer.compare(bytes, expectedOf(runner, bytes.length)) === 0) continue;
      problems.push(`is not restored: memory differs at ${runner.plugin.differs() ?? "no address"}`);
      runner.spent = true;
    }
    return problems;
  }
}

interface Runner {
  readonly plugin: InThreadPlugin;
  /** Memory after the first restore, which was compared with the image byte by byte. */
  expected: Uint8Array;
  spent: boolean;
  /** Output of the last program. */
  output: string;
}

async function fresh(
  runner: Runner | undefined,
  restorer: Parameters<typeof loadInThread>[1],
  module: WebAssembly.Module,
): Promise<Runner> {
  if (runner !== undefined && !runner.spent && !runner.plugin.instance.broken && runner.plugin.instance.bytes.length < LARGE_BYTES)
    return runner;
  const plugin = await loadInThread(PROGRAM_RUNNER, restorer, { module, now: () => NOW });
  // Only the rewritten engine reports rejections, and the guest's records of them are in its memory.
  plugin.instance.callsOut.rejected = () => {};
  const differs = plugin.differs();
  if (differs !== undefined) throw new Error(`The image is not restored at ${differs}`);
  return { plugin, expected: plugin.instance.bytes.slice(), spent: false, output: "" };
}

/** Returns the expected memory. Grown memory is zero. */
function expectedOf(runner: Runner, length: number): Uint8Array {
  if (runner.expected.length < length) {
    const grown = new Uint8Array(length);
    grown.set(runner.expected);
    runner.expected = grown;
  }
  return runner.expected.length === length ? runner.expected : runner.expected.subarray(0, length);
}

/** True if the last program was cut short by a limit that differs between machines and builds. */
function isCut({ plugin, output }: Runner): boolean {
  return (
    plugin.instance.memoryExhausted || output.startsWith(ENDED) || ["stack overflow", "interrupted"].some((word) => output.includes(word))
  );
}

const ENDED = "ended: ";

function run(runner: Runner, program: string): string {
  runner.output = outputOf(runner, program);
  return runner.output;
}

function outputOf({ plugin }: Runner, program: string): string {
  try {
    return plugin.call("run", { program });
  } catch (error) {
    if (error instanceof GuestException) return `threw ${error.guest.name}: ${error.guest.message}`;
    if (error instanceof EngineInterrupted || error instanceof RangeError || error instanceof WebAssembly.RuntimeError)
      return `${ENDED}${error.name}`;
    throw error;
  }
}

/** Static data and the heap up to the allocator's break. The stack below the pointer is dead. */
function heapOf({ facts, bytes, words }: Instance): Uint8Array {
  const end = Math.min(words[facts.breakAddress >> 2] ?? 0, bytes.length);
  return Buffer.concat([bytes.subarray(0, facts.dataEnd), bytes.subarray(facts.stackTop, end)]);
}

/** Returns the address of the only word in which two heaps differ. */
function onlyWord(plain: Uint8Array, metered: Uint8Array): number {
  const at = plain.findIndex((byte, index) => byte !== metered[index]) & ~3;
  const differs = firstDifference(plain, Buffer.from(metered).fill(0, at, at + 4));
  if (differs !== undefined) throw new Error(`The engines' images differ: ${differs}`);
  return at;
}

function firstDifference(plain: Uint8Array, metered: Uint8Array): string | undefined {
  if (Buffer.compare(plain, metered) === 0) return undefined;
  const at = plain.findIndex((byte, index) => byte !== metered[index]);
  return `byte ${at} of ${plain.length} is ${metered[at] ?? "missing"}, not ${plain[at] ?? "missing"}; ${metered.length} bytes`;
}
