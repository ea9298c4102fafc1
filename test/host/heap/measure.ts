/** Measures the heap that one operation leaves: runs many, collects garbage, and compares. */

import { setImmediate as turn } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";

/** An operation that a host is asked to do repeatedly. */
export interface Operation {
  /** Runs the operation once to its end. `index` differs each time. */
  run(index: number): Promise<unknown>;
  close(): Promise<unknown>;
  /** Fills everything that is bounded by number to the same level: called before each measurement. */
  level?(): Promise<unknown>;
}

export interface Measured {
  /** Bytes of the heap and of external memory, in the round that left least: a leak grows in every round. */
  readonly bytesEach: number;
  readonly rounds: readonly number[];
}

export interface MeasureOptions {
  /** Operations before the measurement, which fill everything that is bounded by number. */
  readonly warm: number;
  /** Operations of one round. */
  readonly each: number;
  readonly rounds?: number;
}

export async function measure(
  { run, level }: Pick<Operation, "run" | "level">,
  { warm, each, rounds = 3 }: MeasureOptions,
): Promise<Measured> {
  let index = 0;
  const some = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left--) await run(index++);
  };
  await some(warm);
  await level?.();
  const left: number[] = [];
  let before = await heldBytes();
  for (let round = 0; round < rounds; round++) {
    await some(each);
    await level?.();
    const after = await heldBytes();
    left.push(Math.round((after - before) / each));
    before = after;
  }
  return { bytesEach: Math.min(...left), rounds: left };
}

/** Measures after several collections, with turns of the event loop between them for delayed cleanup. */
async function heldBytes(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("Start it with --expose-gc");
  for (let round = 0; round < 4; round++) {
    for (let turns = 0; turns < 8; turns++) await turn();
    gc();
  }
  const { external } = process.memoryUsage();
  // Subtracts compiled code: V8 compiles functions that run often, and discards the code again.
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !/^(?:code|trusted|read_only)/u.test(name));
  return spaces.reduce((sum, { space_used_size: used }) => sum + used, external);
}
