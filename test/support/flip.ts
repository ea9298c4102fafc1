/** A thread that changes the entry at a path as fast as it can, to provoke races. */

import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { Worker, workerData } from "node:worker_threads";

/** Data of the thread. `signal[0]` stops it, `signal[1]` counts its rounds. */
type FlipData =
  | { readonly flip: "swap"; readonly path: string; readonly first: string; readonly second: string; readonly signal: Int32Array }
  | { readonly flip: "links"; readonly path: string; readonly targets: readonly string[]; readonly signal: Int32Array }
  | { readonly flip: "toggle"; readonly path: string; readonly target: string; readonly signal: Int32Array };

export interface Flipping {
  /** Returns the number of rounds so far. */
  swaps(): number;
  stop(): Promise<void>;
}

/** Alternately renames two entries to `path`. `second` must exist; `first` must not, because it is at `path`. */
export function startFlipping(path: string, first: string, second: string): Promise<Flipping> {
  return start({ flip: "swap", path, first, second, signal: newSignal() });
}

/** Makes `path` a link to each of the targets in turn. The path always exists. */
export function startLinking(path: string, ...targets: readonly string[]): Promise<Flipping> {
  return start({ flip: "links", path, targets, signal: newSignal() });
}

/** Alternately makes `path` a folder with a file and a link to `target`, regardless of what others do to it. */
export function startToggling(path: string, target: string): Promise<Flipping> {
  return start({ flip: "toggle", path, target, signal: newSignal() });
}

function newSignal(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8));
}

async function start(flipData: FlipData): Promise<Flipping> {
  const { signal } = flipData;
  const worker = new Worker(new URL(import.meta.url), { workerData: flipData });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("exit", () => resolve());
    worker.once("error", reject);
  });
  const until = Date.now() + 10_000;
  while (Atomics.load(signal, 1) === 0 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
  return {
    swaps: () => Atomics.load(signal, 1),
    async stop() {
      Atomics.store(signal, 0, 1);
      await ended;
    },
  };
}

const data: unknown = workerData;
if (isFlipData(data)) run(data);

function run(flipData: FlipData): void {
  const { signal } = flipData;
  while (Atomics.load(signal, 0) === 0) {
    if (flipData.flip === "swap") swap(flipData);
    else if (flipData.flip === "links") relink(flipData);
    else toggle(flipData);
    Atomics.add(signal, 1, 1);
  }
}

function swap({ path, first, second }: Extract<FlipData, { flip: "swap" }>): void {
  renameSync(path, first);
  renameSync(second, path);
  renameSync(path, second);
  renameSync(first, path);
}

function relink({ path, targets }: Extract<FlipData, { flip: "links" }>): void {
  for (const target of targets) {
    symlinkSync(target, `${path}.next`);
    renameSync(`${path}.next`, path);
  }
}

function toggle({ path, target }: Extract<FlipData, { flip: "toggle" }>): void {
  const steps = [
    () => mkdirSync(path),
    () => writeFileSync(`${path}/x`, ""),
    // Remove everything that was created in it. Only this thread creates links at the path, so it is a folder now.
    () => rmSync(path, { recursive: true }),
    () => symlinkSync(target, path),
    () => unlinkSync(path),
  ];
  for (const step of steps) {
    try {
      step();
    } catch {
      // The other side won the race; continue with the next step.
    }
  }
}

function isFlipData(value: unknown): value is FlipData {
  return typeof value === "object" && value !== null && "flip" in value;
}
