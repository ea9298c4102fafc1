/**
 * Decides whether to spin for a moment before sleeping. Waking a thread on another processor takes at least 50 µs, longer than most calls
 * and operations, but a spin that finds nothing takes a processor from other work.
 */
export class BackOff {
  #passOver = 0;
  #left = 0;

  /** True if the next wait should spin. Returns false for more waits in a row the more often spinning failed. */
  isWorthwhile(): boolean {
    if (this.#left === 0) return true;
    this.#left--;
    return false;
  }

  /** Records that spinning succeeded. */
  came(): void {
    this.#passOver >>= 1;
  }

  /** Records that spinning failed. */
  stayedAway(): void {
    this.#passOver = Math.min(MAXIMUM_PASSED_OVER, this.#passOver * 2 + 1);
    this.#left = this.#passOver;
  }
}

/** Back-off limit: after repeated misses, spin on one wait in 64. */
const MAXIMUM_PASSED_OVER = 63;
