/** How much room V8 keeps for what dies young, in a process that is ours. */

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves, in bytes: as `--max-semi-space-size=4` sets it, which nobody has to write. */
const WANTED_BYTES = 8 * 1024 * 1024;
const MAX_ROUNDS = 100;
const OBJECTS_A_ROUND = 2_000;

/**
 * Keeps V8's young generation at 8 MiB for good. Left alone it grows to 64 MiB while many plugins load, stays so, and calls
 * are no faster for it. The size itself cannot be set once a process runs, how it grows can: so it grows here, and then no more.
 * For programs of ours only: a flag is the whole process's. Does nothing on Deno.
 */
export function boundYoungGeneration(): void {
  if ("Deno" in globalThis) return;
  setFlagsFromString("--semi-space-growth-factor=4");
  // V8 lets it grow when enough of it lives through a collection.
  const held: object[] = [];
  for (let round = 0; round < MAX_ROUNDS && youngBytes() < WANTED_BYTES; round++)
    for (let index = 0; index < OBJECTS_A_ROUND; index++) held.push({ index, held: [index] });
  setFlagsFromString("--semi-space-growth-factor=1");
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? WANTED_BYTES;
}
