/** Random numbers that are the same for the same seed, on every machine. */

export interface Random {
  /** Returns a number from 0 on, below 1, with the 32 bits of one step. */
  uniform(): number;
  /** Returns a number of the standard normal distribution. */
  normal(): number;
}

/** xoshiro128** by Blackman and Vigna (2018). splitmix32 fills its state, which spreads small seeds. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix()];
  const words = Uint32Array.of(a, b, c, d);
  let spare: number | undefined;

  function splitmix(): number {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  function uniform(): number {
    const [first = 0, second = 0, third = 0, fourth = 0] = words;
    const scrambled = Math.imul(second, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    const third2 = third ^ first;
    const fourth2 = fourth ^ second;
    words[1] = second ^ third2;
    words[0] = first ^ fourth2;
    words[2] = third2 ^ (second << 9);
    words[3] = (fourth2 << 11) | (fourth2 >>> 21);
    return result / 2 ** 32;
  }

  /** Marsaglia's polar method makes two numbers at a time. */
  function normal(): number {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      spare = y * factor;
      return x * factor;
    }
  }

  return { uniform, normal };
}
