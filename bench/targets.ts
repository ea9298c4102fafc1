/** Targets of all benchmarks: SPEC appendices C and D as data; `test/bench/targets.test.ts` compares them with the documents. */

import type { Measured } from "./measure.ts";

export interface Target {
  readonly id: string;
  readonly of: "ratio" | "value";
  readonly must: "≤" | "≥";
  /** Bound of the ratio, or of the value in the row's unit. */
  readonly limit: number;
  readonly what: string;
  /** Section of SPEC with the target. */
  readonly row: "appendix C" | "appendix D" | "B1";
}

const C = "appendix C";
const D = "appendix D";

export const TARGETS: readonly Target[] = [
  { id: "fresh_2kb", of: "ratio", must: "≤", limit: 2, row: C, what: "restore + call ÷ warm call on the unmodified engine, 2 KB plugin" },
  { id: "fresh_4mb", of: "ratio", must: "≤", limit: 2.5, row: C, what: "the same with a heap of 4 MB" },
  { id: "fresh_16mb", of: "ratio", must: "≤", limit: 2.5, row: C, what: "the same with a heap of 16 MB" },
  { id: "fresh_seen", of: "ratio", must: "≤", limit: 1.05, row: C, what: "fresh ÷ warm call as the caller sees it, p50" },
  { id: "naive_2kb", of: "ratio", must: "≥", limit: 40, row: C, what: "new runtime + eval + call ÷ our fresh call, 2 KB plugin" },
  { id: "naive_250kb", of: "ratio", must: "≥", limit: 2_000, row: C, what: "the same with a bundle of 250 KB" },
  { id: "random_of_1000", of: "ratio", must: "≤", limit: 3, row: C, what: "a random one of 1,000 plugins, fresh ÷ warm call of one" },
  { id: "dispatch_wasm", of: "ratio", must: "≤", limit: 4, row: C, what: "whole dispatch ÷ an empty worker round trip, p50" },
  { id: "host_op", of: "ratio", must: "≤", limit: 3, row: C, what: "host operation from the guest ÷ an empty worker round trip, p50" },
  { id: "bytes_1mb", of: "ratio", must: "≤", limit: 1 / 50, row: C, what: "1 MB of bytes through a host operation ÷ the same as JSON" },
  { id: "runaway", of: "value", must: "≤", limit: 25, row: C, what: "ms past the deadline, p99 over all kinds of loops" },
  { id: "guard_cpu", of: "ratio", must: "≤", limit: 1.1, row: C, what: "metered ÷ unmodified engine, CPU-bound guest code" },
  { id: "guard_cpu_tracked", of: "ratio", must: "≤", limit: 1.25, row: C, what: "the same with page tracking" },
  { id: "idle_plugin", of: "value", must: "≤", limit: 100, row: C, what: "KB resident for each idle 2 KB plugin at 1,000 loaded" },
  { id: "reload", of: "value", must: "≤", limit: 100, row: C, what: "ms from the last write to the new version callable, median" },
  { id: "cold_start", of: "value", must: "≤", limit: 300, row: C, what: "ms from process start to the first tool answered, 50 plugins" },
  {
    id: "throughput",
    of: "value",
    must: "≥",
    limit: 40_000,
    row: C,
    what: "fresh calls a second through dispatch, events on, 32 in flight",
  },
  { id: "event_loop", of: "value", must: "≤", limit: 50, row: "B1", what: "ms the host's thread waited at worst while guests do theirs" },
  {
    id: "process_isolation",
    of: "ratio",
    must: "≤",
    limit: 6,
    row: "B1",
    what: "fresh call as the caller sees it, in a process ÷ in threads, p50",
  },
  { id: "entry", of: "value", must: "≤", limit: 1, row: D, what: "us that an entry which may be suspended adds to a fresh call" },
  { id: "preempt_cpu", of: "ratio", must: "≤", limit: 1.05, row: D, what: "nine guests that compute in turns ÷ one after the other" },
  { id: "preempt_wait", of: "value", must: "≤", limit: 100, row: D, what: "ms of a 1 ms call beside 16 endless ones on one worker, p99" },
  { id: "cli_call", of: "value", must: "≤", limit: 60, row: D, what: "ms of `bascule call` while a host runs, beside `node -e 0`" },
  { id: "cli_list", of: "value", must: "≤", limit: 80, row: D, what: "ms of `bascule list` while a host runs, beside `node -e 0`" },
  { id: "cli_alone", of: "value", must: "≤", limit: 250, row: D, what: "ms of `bascule call` without a host, beside `node -e 0`" },
  { id: "freeze", of: "value", must: "≤", limit: 1, row: D, what: "ms of the host's thread to freeze an echo-sized call, median" },
  { id: "resume", of: "value", must: "≤", limit: 5, row: D, what: "ms from a frozen call in the store to its result, median" },
  { id: "frozen_10000", of: "value", must: "≤", limit: 200, row: D, what: "ms that 10,000 frozen calls add to the start of a host" },
  {
    id: "cluster_call",
    of: "ratio",
    must: "≤",
    limit: 1.5,
    row: D,
    what: "time that a cluster adds to a local call ÷ an empty NATS request",
  },
];

/** @throws {Error} if no target has this id: every benchmark is held to one. */
export function targetOf(id: string): Target {
  const target = TARGETS.find((one) => one.id === id);
  if (target === undefined) throw new Error(`The benchmark "${id}" has no target (add one to bench/targets.ts)`);
  return target;
}

/** The figure that the target is about. NaN, which meets no target, where a row that should have a ratio has none. */
export function figureOf(target: Target, measured: Measured): number {
  return target.of === "value" ? measured.value : (measured.ratio ?? Number.NaN);
}

export function meets(target: Target, measured: Measured): boolean {
  const figure = figureOf(target, measured);
  return target.must === "≤" ? figure <= target.limit : figure >= target.limit;
}
