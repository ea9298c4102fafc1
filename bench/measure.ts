/** Measuring: candidates alternate in one run; the results are the median, and the median ratio of neighboring samples. */

/** Result of a benchmark. `ratio` is the value ÷ the baseline of the same run; both are null without a baseline. */
export interface Measured {
  readonly value: number;
  readonly unit: "us" | "ms" | "KB" | "per s";
  readonly baseline: number | null;
  readonly ratio: number | null;
  /** Text below the table: other figures of the same run. */
  readonly note?: string;
}

/** One claimed number: its id in `targets.ts`, and how it is measured. */
export interface Bench {
  readonly id: string;
  /** @throws {Error} if the measured calls went wrong: a wrong answer, or a worker that died. */
  run(): Promise<Measured>;
}

/** Samples in milliseconds for one operation: one for each candidate and round. */
export interface Comparison<Name extends string> {
  medianMs(name: Name): number;
  /** Median over the rounds of one candidate ÷ another, which cancels noise of the machine that lasts longer than a round. */
  ratio(name: Name, baseline: Name): number;
}

export interface BatchOptions {
  readonly rounds?: number;
  /** Time that a candidate runs in each round; at least one operation. */
  readonly batchMs?: number;
  /** Warm-up time of each candidate; also at least `WARM_CALLS` operations, unless they take far longer. */
  readonly warmMs?: number;
}

/** The engine's first 2,000 to 3,000 calls run on V8's baseline tier (FACTS, measuring). */
export const WARM_CALLS = 3_500;
const WARM_AT_MOST = 5;

/**
 * Compares operations that do not wait. A sample is the mean of a batch shorter than the slices in which a busy machine takes the
 * processor away, so the median is of undisturbed batches.
 */
export function compareBatches<Name extends string>(
  candidates: Readonly<Record<Name, () => void>>,
  options: BatchOptions = {},
): Comparison<Name> {
  const { rounds = 201, batchMs = 2, warmMs = 300 } = options;
  const runners = entriesOf(candidates).map(([name, run]) => ({
    name,
    run,
    batch: Math.max(1, Math.round(batchMs / warmUp(run, warmMs))),
    samples: new Array<number>(),
  }));
  for (let round = 0; round < rounds; round++) {
    for (const { run, batch, samples } of inTurn(runners, round)) samples.push(meanMs(run, batch));
  }
  return toComparison(runners);
}

/** Returns milliseconds of one operation after warm-up. */
function warmUp(run: () => void, warmMs: number): number {
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < warmMs || (count < WARM_CALLS && performance.now() - begin < warmMs * WARM_AT_MOST)) {
    run();
    count++;
  }
  return meanMs(run, Math.max(1, Math.round(count / 20)));
}

function meanMs(run: () => void, times: number): number {
  const begin = performance.now();
  for (let index = 0; index < times; index++) run();
  return (performance.now() - begin) / times;
}

export interface CallOptions {
  readonly rounds?: number;
  /** Operations of each candidate in a round. */
  readonly calls?: number;
  /** Operations of each candidate before the first round. */
  readonly warmCalls?: number;
}

/**
 * Compares operations that wait for another thread. They alternate one by one, because the time a thread takes to wake depends on
 * what the machine did just before; a sample is the median of a round (p50).
 */
export async function compareCalls<Name extends string>(
  candidates: Readonly<Record<Name, () => Promise<void>>>,
  options: CallOptions = {},
): Promise<Comparison<Name>> {
  const { rounds = 60, calls = 50, warmCalls = WARM_CALLS } = options;
  const runners = entriesOf(candidates).map(([name, run]) => ({ name, run, samples: new Array<number>() }));
  for (let call = 0; call < warmCalls; call++) for (const { run } of runners) await run();
  for (let round = 0; round < rounds; round++) {
    const taken = runners.map((runner) => ({ ...runner, ms: new Array<number>() }));
    for (let call = 0; call < calls; call++) {
      for (const { run, ms } of inTurn(taken, call)) {
        const begin = performance.now();
        await run();
        ms.push(performance.now() - begin);
      }
    }
    for (const { samples, ms } of taken) samples.push(median(ms));
  }
  return toComparison(runners);
}

/** Reverses the order every other time, so that no candidate always follows the same one. */
export function inTurn<T>(items: readonly T[], turn: number): readonly T[] {
  return turn % 2 === 0 ? items : items.toReversed();
}

/** Converts alternating samples: an equal number for each candidate, one in each round. */
export function toComparison<Name extends string>(
  runners: readonly { readonly name: Name; readonly samples: readonly number[] }[],
): Comparison<Name> {
  const samplesOf = (name: Name): readonly number[] => runners.find((runner) => runner.name === name)?.samples ?? [];
  return {
    medianMs: (name) => median(samplesOf(name)),
    ratio(name, baseline) {
      const below = samplesOf(baseline);
      return median(samplesOf(name).map((sample, round) => sample / (below[round] ?? Number.NaN)));
    },
  };
}

/** `Object.entries` with the type of the names: candidates are object literals of this folder. */
function entriesOf<Name extends string, T>(record: Readonly<Record<Name, T>>): [Name, T][] {
  return Object.entries(record) as [Name, T][];
}

/** Makes a row in microseconds: `name` against `baseline`. */
export function againstInUs<Name extends string>(times: Comparison<Name>, name: Name, baseline: Name): Measured {
  return { value: times.medianMs(name) * 1000, unit: "us", baseline: times.medianMs(baseline) * 1000, ratio: times.ratio(name, baseline) };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** @throws {Error} if the list is empty, because nothing was measured. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
  if (found === undefined) throw new Error("Nothing was measured");
  return found;
}

/** Guards against measuring broken calls. @throws {Error} if the two differ as JSON. */
export function mustBe(found: unknown, wanted: unknown): void {
  const text = JSON.stringify(found);
  if (text !== JSON.stringify(wanted))
    throw new Error(`Measured a call that answers ${text?.slice(0, 200)} instead of ${JSON.stringify(wanted)}`);
}
