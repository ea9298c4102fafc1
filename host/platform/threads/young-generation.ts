/** Bounds V8's memory for young objects, in a process of bascule's own. */

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Size of both halves in bytes, the same as `--max-semi-space-size=4`, which then need not be passed. */
const WANTED_BYTES = 8 * 1024 * 1024;
const MAX_ROUNDS = 100;
const OBJECTS_A_ROUND = 2_000;

/**
 * Keeps V8's young generation at 8 MiB permanently. By default it grows to 64 MiB while many plugins load and stays there, and calls are no
 * faster. The size cannot be set in a running process, but its growth factor can: so it is grown here once and then frozen. Only for
 * bascule's own programs, because a flag affects the whole process. Does nothing on Deno.
 */
export function boundYoungGeneration(): void {
  if ("Deno" in globalThis) return;
  // V8 grows it when enough of it survives a collection.
  const held: object[] = [];
  for (let round = 0; round < MAX_ROUNDS && growth() > 1; round++) {
    setFlagsFromString(`--semi-space-growth-factor=${growth()}`);
    for (let index = 0; index < OBJECTS_A_ROUND; index++) held.push({ index, held: [index] });
  }
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Returns by what it must still be multiplied, which depends on how far loading modules has grown it already. */
function growth(): number {
  return Math.round(WANTED_BYTES / youngBytes());
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? WANTED_BYTES;
}
