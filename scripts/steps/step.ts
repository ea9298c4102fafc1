/** A step of the gate. */

export interface StepOutcome {
  readonly ok: boolean;
  /** Summary in one line, for the table. */
  readonly note: string;
  /** Details of a failure; may be empty. */
  readonly output: string;
  /** Details to print although the step passed. */
  readonly remarks?: readonly string[];
}

export interface Step {
  readonly name: string;
  /** Description of the step, for the heading. */
  readonly says: string;
  /** Whether the step uses all processors; the others run two at a time. */
  readonly isWide?: true;
  /** Runs the step. Never rejects because of its findings. */
  run(): Promise<StepOutcome>;
}

/** Makes an outcome from a list of complaints: passes if the list is empty. */
export function outcomeOf(complaints: readonly string[], note: string): StepOutcome {
  return { ok: complaints.length === 0, note, output: complaints.join("\n") };
}
