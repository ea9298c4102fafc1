// Plants accessors where lists have their elements, so that holes and appended elements run code.
let runs = 0;
export function plant() {
  for (const index of ["0", "1", "2", "length "]) {
    Object.defineProperty(Object.prototype, index, { configurable: true, get: () => ++runs, set: () => void ++runs });
  }
  Object.defineProperty(Array.prototype, 5, { configurable: true, get: () => "planted" });
}
export function probe() {
  const list = [, ,];
  return [list[0] === undefined, list[5], [1, 2].concat([3])[5], runs];
}
