/**
 * A thread that swaps two names as fast as it can, for races: now `path` is one thing, now the other.
 *
 * Run as a worker with `{ path, first, second, signal }`: `first` and `second` are renamed to `path` in turn (each is
 * moved back first), until the signal's word is set. The signal's second word counts the swaps.
 */

import { renameSync } from "node:fs";
import { Worker, workerData } from "node:worker_threads";

interface FlipData {
  readonly flip: true;
  readonly path: string;
  readonly first: string;
  readonly second: string;
  readonly signal: Int32Array;
}

export interface Flipping {
  /** Swaps so far. */
  swaps(): number;
  stop(): Promise<void>;
}

/** `first` must not exist yet (it is at `path`), `second` must. */
export async function startFlipping(path: string, first: string, second: string): Promise<Flipping> {
  const signal = new Int32Array(new SharedArrayBuffer(8));
  const data: FlipData = { flip: true, path, first, second, signal };
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("exit", () => resolve());
    worker.once("error", reject);
  });
  await Promise.race([ended, firstSwap(signal)]);
  return {
    swaps: () => Atomics.load(signal, 1),
    async stop() {
      Atomics.store(signal, 0, 1);
      await ended;
    },
  };
}

async function firstSwap(signal: Int32Array): Promise<void> {
  const until = Date.now() + 10_000;
  while (Atomics.load(signal, 1) === 0 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
}

const data: unknown = workerData;
if (isFlipData(data)) flip(data);

function flip({ path, first, second, signal }: FlipData): void {
  while (Atomics.load(signal, 0) === 0) {
    renameSync(path, first);
    renameSync(second, path);
    renameSync(path, second);
    renameSync(first, path);
    Atomics.add(signal, 1, 1);
  }
}

function isFlipData(value: unknown): value is FlipData {
  return typeof value === "object" && value !== null && "flip" in value;
}
