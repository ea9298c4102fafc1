/** Long work: reports progress and ends when it is cancelled. */

import type { Context } from "./bascule.d.ts";

/** Numbers between two reports. */
const STEP = 1_000;

/**
 * Counts the prime numbers below a number.
 *
 * @determinism deterministic
 */
export async function my_plugin_primes(
  {
    below,
  }: {
    /** @integer @minimum 2 @maximum 1000000 */
    below: number;
  },
  { progress, signal }: Pick<Context, "progress" | "signal">,
): Promise<{ primes: number }> {
  let primes = 0;
  for (let number = 2; number < below; number += 1) {
    if (isPrime(number)) primes += 1;
    if (number % STEP !== 0) continue;
    progress({ done: number, total: below });
    // Lets a cancellation in: code that never waits is ended at its deadline.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
  }
  return { primes };
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return true;
}
