import fc from "fast-check";

export const shrinks = () =>
  fc.check(
    fc.property(fc.array(fc.integer()), (list) => list.length < 5),
    { seed: 42 },
  ).counterexample;
export const samples = () => fc.sample(fc.record({ a: fc.string(), b: fc.nat(9) }), { numRuns: 5, seed: 7 });
