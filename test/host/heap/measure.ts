/** What one operation leaves on the heap: many are done, garbage is collected, and what is there is compared. */

import { setImmediate as turn } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";

/** Something that a host is asked to do again and again. */
export interface Operation {
  /** Once, from its beginning to its end. `index` is another each time. */
  run(index: number): Promise<unknown>;
  close(): Promise<unknown>;
  /** Brings what is bounded by number to the same fill as before: called before each look. */
  level?(): Promise<unknown>;
}

export interface Measured {
  /** Of heap and of memory outside it that the heap keeps, in the round that left least: what leaks grows in every round. */
  readonly bytesEach: number;
  readonly rounds: readonly number[];
}

export interface MeasureOptions {
  /** Before anything is measured: what is bounded by number is full by then. */
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

/** After collections, with turns for what ends a moment later. */
async function heldBytes(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("Start it with --expose-gc");
  for (let round = 0; round < 4; round++) {
    for (let turns = 0; turns < 8; turns++) await turn();
    gc();
  }
  const { external } = process.memoryUsage();
  // Code that V8 makes of what runs often is nobody's data, and is thrown away again.
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !/^(?:code|trusted|read_only)/u.test(name));
  return spaces.reduce((sum, { space_used_size: used }) => sum + used, external);
}
