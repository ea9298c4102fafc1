/** The whole suite: every case in every mode to which it applies. */

import { CASES, type LivenessCase } from "./cases.ts";
import { startControl } from "./control.ts";
import type { Verdict } from "./judge.ts";
import { type ModeName, MODES } from "./modes.ts";
import type { Pace } from "./rounds.ts";
import { runCase } from "./run-case.ts";

/** Pace of the gate. Three rounds are the minimum for a meaningful median. */
export const SHORT: Pace = { idleCalls: 5, sleepMs: 100, roundMs: 500, rounds: 3 };
const LONG: Pace = { idleCalls: 9, sleepMs: 300, roundMs: 1_500, rounds: 5 };

export interface LivenessOptions {
  /** Runs only cases whose names contain this text. Default: all. */
  readonly only?: string;
  readonly modes: readonly ModeName[];
  readonly say: (line: string) => void;
}

/** @returns the cases that failed */
export async function runLiveness({ only = "", modes, say }: LivenessOptions): Promise<readonly Verdict[]> {
  await using control = await startControl();
  const failed: Verdict[] = [];
  for (const wanted of CASES.filter(({ name }) => name.includes(only))) {
    for (const mode of modesOf(wanted).filter((one) => modes.includes(one))) {
      const verdict = await runCase(wanted, mode, { pace: wanted.each === true ? SHORT : LONG, control });
      for (const line of formatVerdict(verdict)) say(line);
      if (verdict.problems.length > 0) failed.push(verdict);
    }
  }
  return failed;
}

/** Returns one line, and one for each problem. */
export function formatVerdict({ name, mode, figures, problems }: Verdict): readonly string[] {
  return [
    `${problems.length === 0 ? "ok    " : "FAILED"} ${name} (${mode}): ${figures}`,
    ...problems.map((problem) => `       ${problem}`),
  ];
}

/** Returns the modes of a case. No command starts a host on the plain engine. */
function modesOf({ door }: LivenessCase): readonly ModeName[] {
  const names = Object.keys(MODES) as readonly ModeName[];
  return names.filter((name) => door === undefined || MODES[name].engine === "metered");
}
