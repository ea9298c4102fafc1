/** What is counted, as data: made by `counters.ts` and `gauges.ts`, written out by `prometheus.ts`. Types only. */

/** Values of one name, told apart by their labels. Names and units are Prometheus': `bascule_…_total`, `_seconds`, `_bytes`. */
export type MetricFamily = ValueFamily | HistogramFamily;

/** By label name. Values may be anybody's text; names are ours. */
export type Labels = Readonly<Record<string, string>>;

interface FamilyBase {
  readonly name: string;
  readonly help: string;
}

/** Numbers that only grow (`counter`), or that come and go. */
export interface ValueFamily extends FamilyBase {
  readonly type: "counter" | "gauge";
  readonly samples: readonly { readonly labels: Labels; readonly value: number }[];
}

/** How often a value was at most each bound. */
export interface HistogramFamily extends FamilyBase {
  readonly type: "histogram";
  /** Ascending; what is above the last one counts in `count` only. */
  readonly bounds: readonly number[];
  readonly samples: readonly Distribution[];
}

/** The values of one set of labels. */
export interface Distribution {
  readonly labels: Labels;
  /** One for each bound: how many were at most that and above the bound before. */
  readonly buckets: readonly number[];
  readonly sum: number;
  readonly count: number;
}
