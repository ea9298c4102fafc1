/** Measuring: candidates interleaved in one run, medians, ratios against a baseline of the same run. */

/** One line of the bench's table; `ratio` is `value / baseline` where there is a baseline. */
export interface Row {
  readonly id: string;
  readonly value: number;
  readonly unit: "us" | "ms" | "KB" | "x" | "per s";
  readonly baseline: number | null;
  readonly ratio: number | null;
}

/** A claimed number: SPEC appendix C's id, what it compares, its target, and how it is measured. */
export interface Bench {
  readonly id: string;
  readonly what: string;
  /** `atMost` applies to the ratio where there is one, else to the value. */
  readonly target: { readonly atMost: number } | { readonly atLeast: number };
  run(): Promise<Row>;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

export type Candidate = () => unknown;

/** Milliseconds an operation takes, per candidate: the median over rounds in which all take turns. */
export async function interleave<Name extends string>(
  candidates: Readonly<Record<Name, Candidate>>,
  options: { readonly rounds?: number; readonly batchMs?: number; readonly warmMs?: number } = {},
): Promise<Record<Name, number>> {
  const { rounds = 21, batchMs = 30, warmMs = 300 } = options;
  const entries = Object.entries(candidates) as [Name, Candidate][];
  const state = [];
  for (const [name, run] of entries) {
    const perOperation = await timed(run, warmMs, Number.POSITIVE_INFINITY);
    state.push({ name, run, batch: Math.max(1, Math.round(batchMs / perOperation)), samples: [] as number[] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of state) one.samples.push(await timed(one.run, Number.POSITIVE_INFINITY, one.batch));
  }
  return Object.fromEntries(state.map((one) => [one.name, median(one.samples)])) as Record<Name, number>;
}

/** Mean milliseconds of one operation, over at most `forMs` or `times`. */
async function timed(run: Candidate, forMs: number, times: number): Promise<number> {
  const begin = performance.now();
  let count = 0;
  do {
    const result = run();
    if (result instanceof Promise) await result;
    count++;
  } while (count < times && performance.now() - begin < forMs);
  return (performance.now() - begin) / count;
}

/** Milliseconds of each of `times` operations, one by one, after a warm-up. */
export async function latencies(run: () => Promise<unknown>, times: number, warmUp: number): Promise<number[]> {
  for (let i = 0; i < warmUp; i++) await run();
  const samples: number[] = [];
  for (let i = 0; i < times; i++) {
    const begin = performance.now();
    await run();
    samples.push(performance.now() - begin);
  }
  return samples;
}
