// Replaces the iterator that spreads and loops use.
export function plant() {
  Array.prototype[Symbol.iterator] = function* () {
    yield "planted";
  };
}
export function probe() {
  return [...[1, 2]];
}
