/** Runs a tool of host code that yields (SPEC AX4). */

/** Returns whether a tool's value yields: an async generator's, or any other async iterable. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/**
 * Runs the generator to its end. When the signal is aborted, its `finally` blocks run once it reaches its next `yield`.
 *
 * @param onYield receives each value; the generator goes on when the promise settles
 * @returns what it returned, or else the list of what it yielded
 */
export async function collectYields(
  values: AsyncIterable<unknown>,
  onYield: (value: unknown, index: number) => Promise<void> | void,
  signal: AbortSignal,
): Promise<unknown> {
  const iterator = values[Symbol.asyncIterator]();
  const yielded: unknown[] = [];
  const stop = (): void => void iterator.return?.().then(undefined, () => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let step = await iterator.next(); ; step = await iterator.next()) {
      if (step.done === true) return step.value === undefined ? yielded : (step.value as unknown);
      await onYield(step.value, yielded.length);
      yielded.push(step.value);
    }
  } catch (error) {
    await iterator.return?.();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
