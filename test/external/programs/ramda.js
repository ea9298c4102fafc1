import * as R from "ramda";

export const pipes = () => R.pipe(R.map(R.multiply(2)), R.filter(R.gt(R.__, 4)), R.sum)([1, 2, 3, 4]);
export const lenses = () => R.over(R.lensPath(["a", 0, "b"]), R.inc, { a: [{ b: 1 }] });
export const groups = () => R.groupBy((text) => text[0], ["one", "two", "three"]);
export const transduces = () => R.transduce(R.compose(R.map(R.add(1)), R.take(2)), R.flip(R.append), [], [1, 2, 3]);
