/** A step of the gate. */

export interface StepOutcome {
  readonly ok: boolean;
  /** One line for the table. */
  readonly note: string;
  /** What to read where it failed; may be empty. */
  readonly output: string;
  /** What to read although it passed. */
  readonly remarks?: readonly string[];
}

export interface Step {
  readonly name: string;
  /** What it shows, for the heading. */
  readonly says: string;
  /** Keeps all processors busy by itself; the others are run two at a time. */
  readonly isWide?: true;
  /** Never rejects for what it finds. */
  run(): Promise<StepOutcome>;
}

/** An outcome of a list of complaints: passes if there are none. */
export function outcomeOf(complaints: readonly string[], note: string): StepOutcome {
  return { ok: complaints.length === 0, note, output: complaints.join("\n") };
}
