/**
 * What is done in an engine, in steps: each entry that may be suspended is a promise that the steps yield and whose number
 * they are given. Where guests are not suspended nothing is yielded, so the same steps are done at once.
 */

export type Steps<T> = Generator<Promise<number>, T, number>;

/** Whether the guest may be suspended now: it is in an entry for that, and no function of ours lies between it and its entry. */
export interface Gate {
  isOpen: boolean;
}

/** Waits for an entry by a function that opened the gate, or takes what a plain one answered. */
export function* entered(answer: number | Promise<number>, gate: Gate): Steps<number> {
  if (typeof answer === "number") return answer;
  try {
    return yield answer;
  } finally {
    gate.isOpen = false;
  }
}

/** Does all steps before it returns. @throws {Error} if an entry may be suspended, and whatever the steps throw */
export function atOnce<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (step.done === true) return step.value;
  throw new Error("This entry of the engine may be suspended: its steps take more than one turn");
}

/** Does the steps, each as soon as the one before is done. Calls one of the two at the end, which must not throw. */
export function inTurns<T>(steps: Steps<T>, done: (value: T) => void, failed: (error: unknown) => void): void {
  const go = (next: () => IteratorResult<Promise<number>, T>): void => {
    let step: IteratorResult<Promise<number>, T>;
    try {
      step = next();
    } catch (error) {
      return failed(error);
    }
    if (step.done === true) return done(step.value);
    step.value.then(
      (value) => go(() => steps.next(value)),
      (error: unknown) => go(() => steps.throw(error)),
    );
  };
  go(() => steps.next());
}
