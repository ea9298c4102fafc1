/** What came of a plugin's cases and tests (SPEC I7). Types only. */

/** How a test ended; `cancelled`: something else ended the call that it would have run in. */
export type TestStatus = "ok" | "failed" | "ignored" | "cancelled";

/** What was thrown. Guest text: make it printable before it is shown. */
export interface TestError {
  readonly message: string;
  /** Frames with the author's positions, one a line; may be empty. */
  readonly stack: string;
}

/** One case, test or step. */
export interface TestOutcome {
  readonly name: string;
  readonly status: TestStatus;
  readonly ms: number;
  /** Where it was registered: file, line, column in the plugin; absent for cases. */
  readonly place?: string;
  readonly error?: TestError;
  readonly steps: readonly TestOutcome[];
}

/** A file of cases or tests. */
export interface FileOutcome {
  readonly plugin: string;
  /** Relative to the plugin's folder. */
  readonly file: string;
  readonly kind: "cases" | "tests";
  readonly results: readonly TestOutcome[];
  /** Left out by a filter, or because others are marked `only`. */
  readonly filtered: number;
  readonly usedOnly: boolean;
  /** What no test is to blame for: the file could not be loaded, an error that nobody caught. */
  readonly error?: TestError;
}

/** What is told while a file runs, for people. */
export type TestEvent =
  | { readonly type: "file"; readonly plugin: string; readonly file: string; readonly tests: number }
  /** A test has steps: its result comes after theirs. */
  | { readonly type: "begin"; readonly level: number; readonly name: string }
  | { readonly type: "end"; readonly level: number; readonly outcome: TestOutcome }
  /** What the guest logged. */
  | { readonly type: "output"; readonly text: string };
