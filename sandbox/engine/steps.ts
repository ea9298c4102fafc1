/**
 * Engine work in steps. An entry that can be suspended is a promise, which the steps yield and whose number they receive. If guests
 * cannot be suspended, nothing is yielded, so the same steps finish at once.
 */

export type Steps<T> = Generator<Promise<number>, T, number>;

/** Open while the guest can be suspended: it is in an entry that allows it, and no host function is on its stack. */
export interface Gate {
  isOpen: boolean;
}

/** Waits for an entry that opened the gate, or returns the answer of a plain one. */
export function* entered(answer: number | Promise<number>, gate: Gate): Steps<number> {
  if (typeof answer === "number") return answer;
  try {
    return yield answer;
  } finally {
    gate.isOpen = false;
  }
}

/** Runs all steps before it returns. @throws {Error} if an entry can be suspended, and whatever the steps throw */
export function atOnce<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (step.done === true) return step.value;
  throw new Error("This entry of the engine can be suspended, so it cannot run synchronously");
}

/** Runs the steps asynchronously, one after the other. Then calls `done` or `failed`, which must not throw. */
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
