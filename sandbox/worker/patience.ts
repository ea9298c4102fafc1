/**
 * Whether to wait awake for a moment before sleeping. Waking a thread that sleeps on another processor takes 50 µs and more,
 * longer than most calls and operations; staying awake in vain takes a processor from somebody else.
 */
export class Patience {
  #passOver = 0;
  #left = 0;

  /** Asked before each wait. False ever more often the more waits were in vain. */
  isWorthwhile(): boolean {
    if (this.#left === 0) return true;
    this.#left--;
    return false;
  }

  /** It came while somebody was awake for it. */
  came(): void {
    this.#passOver >>= 1;
  }

  /** Somebody stayed awake for it in vain. */
  stayedAway(): void {
    this.#passOver = Math.min(MAXIMUM_PASSED_OVER, this.#passOver * 2 + 1);
    this.#left = this.#passOver;
  }
}

/** After ever so many waits in vain, one in so many is tried again. */
const MAXIMUM_PASSED_OVER = 63;
