/** Metrics as data: created by `counters.ts` and `gauges.ts`, serialized by `prometheus.ts`. Types only. */

/** Samples of one metric with different labels. Names follow Prometheus: `bascule_…_total`, `_seconds`, `_bytes`. */
export type MetricFamily = ValueFamily | HistogramFamily;

/** Label values by name. Values may be untrusted text; names are fixed. */
export type Labels = Readonly<Record<string, string>>;

interface FamilyBase {
  readonly name: string;
  readonly help: string;
}

/** A number that only increases (`counter`) or that can go up and down (`gauge`). */
export interface ValueFamily extends FamilyBase {
  readonly type: "counter" | "gauge";
  readonly samples: readonly { readonly labels: Labels; readonly value: number }[];
}

/** Counts of values per bucket. */
interface HistogramFamily extends FamilyBase {
  readonly type: "histogram";
  /** Ascending upper bounds. Values above the last bound count only in `count`. */
  readonly bounds: readonly number[];
  readonly samples: readonly Distribution[];
}

/** Values of one set of labels. */
interface Distribution {
  readonly labels: Labels;
  /** Count per bound: values above the previous bound and at most this one. */
  readonly buckets: readonly number[];
  readonly sum: number;
  readonly count: number;
}
