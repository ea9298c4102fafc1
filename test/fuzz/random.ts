/** Repeatable random choices: the same seed gives the same choices on every runtime. */

export interface Random {
  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number;
  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** Returns true in one of `times` cases. */
  oneIn(times: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** Returns any of 2³² bit patterns, with a bias to small and boundary values. */
  bits(): number;
}

const BORDERS = [0, 1, -1, 7, 8, 63, 64, 127, 128, 1023, 1024, 65_535, 65_536, 0x7fff_ffff, -0x8000_0000] as const;

/** Mulberry32: 32 bits of state, sufficient for choices. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() / 0x1_0000_0000) * limit);
  const random: Random = {
    below,
    between: (low, high) => low + below(high - low + 1),
    oneIn: (times) => below(times) === 0,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    bits: () => (random.oneIn(3) ? random.pick(BORDERS) : next() | 0),
  };
  return random;
}
