/** Alters frozen calls, sealed and bare: none may be accepted, and reading none may throw. */

import { createStates } from "../../host/platform/files/states.ts";
import { PAGE_BYTES } from "../../sandbox/engine/marks.ts";
import { readFrozen, writeFrozen } from "../../sandbox/wire/frozen-call.ts";
import { OVERHANG_BYTES } from "../../sandbox/wasm/barrier.ts";
import { createRandom, type Random } from "./random.ts";

const { seal, unseal } = createStates();
const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);
const ABOUT = "body call-1";
const BELONGS_TO = { engine: "e".repeat(64), digest: "d".repeat(64), image: "1".repeat(64), callId: "call-1" };

const FROZEN: Uint8Array = writeFrozen(
  {
    guest: {
      runs: Uint32Array.of(2, 4, 9, 10),
      contents: new Uint8Array(3 * PAGE_BYTES + 2 * OVERHANG_BYTES).map((_, index) => index),
      memoryBytes: 1_048_576,
      usedBytes: 1_000,
      usedStackBytes: undefined,
      fuelSpent: 17,
      registers: { stackPointer: 65_536, fuel: { before: 3, left: 5 }, memoryExhausted: false },
    },
    state: {
      clock: {
        ...{ startedAt: 1, wallEnd: Infinity, cpuMs: 2, questions: 1, leftMs: 3 },
        ...{ askedAt: 4, stoodMs: 0, heldUpMs: 0, givenBackMs: 0 },
      },
      log: { bytes: 0, lines: 0, dropped: 0 },
      operations: { count: 3, atHost: [], atPerson: [7] },
      use: { operationBytes: 0, pendingOperations: 1, timers: 0, jsonDepth: 1 },
      timerAt: undefined,
      answers: 2,
    },
    operations: [{ operation: 7, name: "permissions.request", text: "{}" }],
    counts: { operations: 3, effects: 4, logBytes: 0 },
    frozenAt: 5,
  },
  BELONGS_TO,
);

/** Checks `count` altered images. */
export function checkFrozen(seed: number, count: number): readonly string[] {
  const random = createRandom(seed);
  const problems: string[] = [];
  const sealed = seal(KEY, FROZEN, ABOUT);
  for (let index = 0; index < count; index++) {
    const altered = alter(sealed, random);
    if (same(altered, sealed)) continue;
    const opened = unseal(KEY, altered, ABOUT);
    if (opened.ok) problems.push(`case ${index}: an altered image was accepted`);
    // Without its seal, an image may still be read, but nothing else may happen.
    const read = readFrozen(alter(FROZEN, random), BELONGS_TO);
    if (read.ok && read.call.guest.contents.length > FROZEN.length) problems.push(`case ${index}: more was read than there is`);
  }
  if (!unseal(KEY, sealed, ABOUT).ok || !readFrozen(FROZEN, BELONGS_TO).ok) problems.push("an image that was not altered was refused");
  const foreign = unseal(OTHER_KEY, sealed, ABOUT);
  if (foreign.ok || foreign.differs !== "project") problems.push("an image of another project was not told apart");
  for (const [part, differs] of [
    ["engine", "engine"],
    ["digest", "version"],
    ["image", "version"],
    ["callId", "call"],
  ] as const) {
    const read = readFrozen(FROZEN, { ...BELONGS_TO, [part]: "other" });
    if (read.ok || read.differs !== differs) problems.push(`an image with another ${part} was not told apart`);
  }
  return problems;
}

function alter(bytes: Uint8Array, random: Random): Uint8Array {
  const altered = bytes.slice();
  const at = random.below(bytes.length);
  switch (random.below(5)) {
    case 0:
      altered[at] = (altered[at] ?? 0) ^ (1 << random.below(8));
      return altered;
    case 1:
      return altered.subarray(0, at);
    case 2:
      return new Uint8Array([...altered.subarray(0, at), random.below(256), ...altered.subarray(at)]);
    case 3:
      altered.copyWithin(at, random.below(bytes.length), random.below(bytes.length));
      return altered;
    default:
      for (let left = random.below(64); left >= 0; left--) altered[random.below(bytes.length)] = random.below(256);
      return altered;
  }
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
