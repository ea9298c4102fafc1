/** The state of the call. The first outcome stays (`Entry.poll`). */

let outcome: string | undefined;

/** @param text a tag and its text, as `Entry.poll` returns them */
export function finish(text: string): void {
  outcome ??= text;
}

export function currentOutcome(): string | undefined {
  return outcome;
}

/** Clears the outcome when a call begins. */
export function resetOutcome(): void {
  outcome = undefined;
}
