/** The result of a run; `result.json` is the one in docs/speed.md. */

import type { Mode } from "./remote.ts";
import type { ToolName } from "./work.ts";

export interface PeerResult {
  /** Day of the run, ISO 8601. */
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly deno: string;
  readonly rounds: number;
  readonly rows: readonly PeerRow[];
  readonly absent: readonly Absent[];
}

/** One candidate: the median of its rounds. */
export interface PeerRow {
  readonly peer: string;
  readonly tool: ToolName;
  readonly mode: Mode;
  /** Microseconds of one call. */
  readonly us: number;
  /** Median over the rounds of its time ÷ that of bascule's call of the same tool. */
  readonly ratio: number;
}

/** A peer that was not measured, and the reason. */
export interface Absent {
  readonly peer: string;
  readonly reason: string;
}
