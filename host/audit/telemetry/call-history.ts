/**
 * Calls over time, for the charts of the console (SPEC I5): counts and durations in four ranges, each with a fixed number of steps.
 *
 * Memory is bounded: 312 steps in all, each with at most 32 plugins and one entry for the rest, about 3 MB if every one of them is full.
 */

/** A range of time up to now, divided into steps. */
interface RangeSteps {
  readonly stepMs: number;
  readonly steps: number;
}

/** Names of the ranges. */
export const HISTORY_RANGE_NAMES = ["1h", "6h", "24h", "7d"] as const;
/** One of `HISTORY_RANGE_NAMES`. */
export type HistoryRange = (typeof HISTORY_RANGE_NAMES)[number];

const MINUTE = 60_000;
export const HISTORY_RANGES: { readonly [K in HistoryRange]: RangeSteps } = Object.freeze({
  "1h": { stepMs: MINUTE, steps: 60 },
  "6h": { stepMs: 5 * MINUTE, steps: 72 },
  "24h": { stepMs: 15 * MINUTE, steps: 96 },
  "7d": { stepMs: 120 * MINUTE, steps: 84 },
});

/** The longest range: older calls are not counted. */
export const HISTORY_MS: number = HISTORY_RANGES["7d"].stepMs * HISTORY_RANGES["7d"].steps;

/** A call that has ended. */
export interface HistoryCall {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Absent for a tool of the host itself. */
  readonly plugin?: string;
  readonly outcome: "completed" | "failed" | "denied";
  /** Absent for a call that did not run. */
  readonly durationMs?: number;
}

/** Values per step, the oldest first. Percentiles are in milliseconds; null if no call ran in the step. */
export interface CallSeries {
  readonly calls: readonly number[];
  readonly failed: readonly number[];
  readonly denied: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

/** Sums over the whole range. */
interface CallTotals {
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

interface HistoryView {
  /** Time of the first step. */
  readonly from: number;
  readonly series: CallSeries;
  readonly overall: CallTotals;
}

/** Sums of one plugin over the whole range. */
export interface PluginTotals extends CallTotals {
  /** `TOOLS_OF_THE_HOST`, `OTHER_PLUGINS` or a plugin's name. */
  readonly plugin: string;
  /** Calls per step. */
  readonly series: readonly number[];
}

/** Counts that cross from the thread that reads the journal. */
export type HistoryCounts = readonly {
  readonly range: HistoryRange;
  readonly step: number;
  readonly plugin: string;
  readonly cell: Cell;
}[];

/** Calls of one plugin in one step. */
interface Cell {
  completed: number;
  failed: number;
  denied: number;
  /** Number of calls per bound of `BOUNDS_MS`, and those above the last. */
  readonly durations: number[];
}

export interface CallHistory {
  add(call: HistoryCall): void;
  /** Adds counts of another history. */
  merge(counts: HistoryCounts): void;
  counts(): HistoryCounts;
  /** @param plugin only this plugin's calls */
  read(range: HistoryRange, now: number, plugin?: string): HistoryView;
  /** Sums by plugin, the one with most calls first. */
  totals(range: HistoryRange, now: number): readonly PluginTotals[];
}

/** Name of the host's own tools. Parentheses cannot be part of a plugin's name. */
const TOOLS_OF_THE_HOST = "(host)";
/** Name of plugins above the maximum. */
const OTHER_PLUGINS = "(other)";
const MAX_PLUGINS = 32;
/** Upper bounds of durations in milliseconds, close enough for a chart on a logarithmic scale. */
const BOUNDS_MS: readonly number[] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 600_000];

export function createCallHistory(): CallHistory {
  const ranges = new Map(HISTORY_RANGE_NAMES.map((name) => [name, new Map<number, Map<string, Cell>>()]));

  function cellOf(range: HistoryRange, step: number, plugin: string): Cell {
    const steps = ranges.get(range) ?? new Map<number, Map<string, Cell>>();
    const cells = steps.get(step) ?? new Map<string, Cell>();
    if (!steps.has(step)) {
      steps.set(step, cells);
      // Both directions, because the system's clock may be set back.
      for (const other of steps.keys()) if (Math.abs(other - step) >= HISTORY_RANGES[range].steps) steps.delete(other);
    }
    const name = cells.has(plugin) || cells.size < MAX_PLUGINS ? plugin : OTHER_PLUGINS;
    const cell = cells.get(name) ?? emptyCell();
    cells.set(name, cell);
    return cell;
  }

  function* cellsIn(range: HistoryRange, now: number): Generator<{ readonly at: number; readonly plugin: string; readonly cell: Cell }> {
    const { stepMs, steps } = HISTORY_RANGES[range];
    const first = Math.floor(now / stepMs) - steps + 1;
    for (const [step, cells] of ranges.get(range) ?? []) {
      if (step < first || step >= first + steps) continue;
      for (const [plugin, cell] of cells) yield { at: step - first, plugin, cell };
    }
  }

  return {
    add({ time, plugin = TOOLS_OF_THE_HOST, outcome, durationMs }) {
      for (const name of HISTORY_RANGE_NAMES) {
        const cell = cellOf(name, Math.floor(time / HISTORY_RANGES[name].stepMs), plugin);
        cell[outcome] += 1;
        if (durationMs === undefined) continue;
        const bound = BOUNDS_MS.findIndex((most) => durationMs <= most);
        const place = bound === -1 ? BOUNDS_MS.length : bound;
        cell.durations[place] = (cell.durations[place] ?? 0) + 1;
      }
    },
    merge(counts) {
      for (const { range, step, plugin, cell } of counts) addTo(cellOf(range, step, plugin), cell);
    },
    counts: () =>
      [...ranges].flatMap(([range, steps]) =>
        [...steps].flatMap(([step, cells]) => [...cells].map(([plugin, cell]) => ({ range, step, plugin, cell }))),
      ),
    read(range, now, only) {
      const { stepMs, steps } = HISTORY_RANGES[range];
      const sums = Array.from({ length: steps }, emptyCell);
      for (const { at, plugin, cell } of cellsIn(range, now)) {
        const sum = sums[at];
        if (sum !== undefined && (only === undefined || plugin === only)) addTo(sum, cell);
      }
      const overall = emptyCell();
      for (const sum of sums) addTo(overall, sum);
      return {
        overall: totalsOf(overall),
        from: (Math.floor(now / stepMs) - steps + 1) * stepMs,
        series: {
          calls: sums.map(callsIn),
          failed: sums.map(({ failed }) => failed),
          denied: sums.map(({ denied }) => denied),
          p50: sums.map((cell) => percentile(cell, 0.5)),
          p95: sums.map((cell) => percentile(cell, 0.95)),
          p99: sums.map((cell) => percentile(cell, 0.99)),
        },
      };
    },
    totals(range, now) {
      const { steps } = HISTORY_RANGES[range];
      const plugins = new Map<string, { readonly sum: Cell; readonly series: number[] }>();
      for (const { at, plugin, cell } of cellsIn(range, now)) {
        const total = plugins.get(plugin) ?? { sum: emptyCell(), series: Array.from({ length: steps }, () => 0) };
        plugins.set(plugin, total);
        addTo(total.sum, cell);
        total.series[at] = (total.series[at] ?? 0) + callsIn(cell);
      }
      return [...plugins]
        .map(([plugin, { sum, series }]) => ({ plugin, ...totalsOf(sum), series }))
        .toSorted((one, other) => other.calls - one.calls);
    },
  };
}

function emptyCell(): Cell {
  return { completed: 0, failed: 0, denied: 0, durations: Array.from({ length: BOUNDS_MS.length + 1 }, () => 0) };
}

function addTo(sum: Cell, cell: Cell): void {
  sum.completed += cell.completed;
  sum.failed += cell.failed;
  sum.denied += cell.denied;
  for (const [place, count] of cell.durations.entries()) sum.durations[place] = (sum.durations[place] ?? 0) + count;
}

function totalsOf(cell: Cell): CallTotals {
  const { failed, denied } = cell;
  return { calls: callsIn(cell), failed, denied, p50: percentile(cell, 0.5), p95: percentile(cell, 0.95), p99: percentile(cell, 0.99) };
}

function callsIn({ completed, failed, denied }: Cell): number {
  return completed + failed + denied;
}

/** Interpolates within the bound that the share falls into. */
function percentile({ durations }: Cell, share: number): number | null {
  const all = durations.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let below = 0;
  for (const [place, count] of durations.entries()) {
    if (count > 0 && below + count >= share * all) {
      const [from, to] = [BOUNDS_MS[place - 1] ?? 0, BOUNDS_MS[place] ?? BOUNDS_MS.at(-1) ?? 0];
      return Math.round((from + (to - from) * ((share * all - below) / count)) * 100) / 100;
    }
    below += count;
  }
  return null;
}
