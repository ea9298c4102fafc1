import groupBy from "core-js-pure/actual/map/group-by.js";
import Iterator from "core-js-pure/actual/iterator/index.js";
import structuredClone from "core-js-pure/actual/structured-clone.js";

export const groups = () => [...groupBy([1, 2, 3], (n) => n % 2)];
export const iterates = () =>
  Iterator.from([1, 2, 3])
    .map((n) => n * 2)
    .toArray();
export const clones = () => structuredClone({ at: new Date(0), map: 1 });
