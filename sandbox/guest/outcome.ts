/** Where the call stands. The first outcome stays (`Entry.poll`). */

let outcome: string | undefined;

/** @param text a tag and its text, as `Entry.poll` answers them. */
export function finish(text: string): void {
  outcome ??= text;
}

export function currentOutcome(): string | undefined {
  return outcome;
}

/** A call begins. */
export function resetOutcome(): void {
  outcome = undefined;
}
