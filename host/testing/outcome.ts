/** Outcomes of a plugin's cases and tests (SPEC I7). Types only. */

/** Status of a test; `cancelled`: its call ended before it could run. */
export type TestStatus = "ok" | "failed" | "ignored" | "cancelled";

/** A thrown error. The text comes from the guest: make it printable before it is shown. */
export interface TestError {
  readonly message: string;
  /** Stack frames with positions in the author's files, one per line; may be empty. */
  readonly stack: string;
}

/** Outcome of one case, test or step. */
export interface TestOutcome {
  readonly name: string;
  readonly status: TestStatus;
  readonly ms: number;
  /** Place of its registration in the plugin: file, line and column; absent for cases. */
  readonly place?: string;
  readonly error?: TestError;
  readonly steps: readonly TestOutcome[];
}

/** Outcome of a file of cases or tests. */
export interface FileOutcome {
  readonly plugin: string;
  /** Relative to the plugin's folder. */
  readonly file: string;
  readonly kind: "cases" | "tests";
  readonly results: readonly TestOutcome[];
  /** Number of tests omitted by a filter, or because others are marked `only`. */
  readonly filtered: number;
  readonly usedOnly: boolean;
  /** An error outside of all tests: the file could not be loaded, or an error was not caught. */
  readonly error?: TestError;
}

/** Progress of a running file, for display. */
export type TestEvent =
  | { readonly type: "file"; readonly plugin: string; readonly file: string; readonly tests: number }
  /** A test with steps begins; its result follows theirs. */
  | { readonly type: "begin"; readonly level: number; readonly name: string }
  | { readonly type: "end"; readonly level: number; readonly outcome: TestOutcome }
  /** Output of the guest. */
  | { readonly type: "output"; readonly text: string };
