// Leaves chains of iterator helpers half consumed.
let taken = 0;
const chain = [1, 2, 3, 4, 5, 6]
  .values()
  .map((x) => (taken++, x * 2))
  .filter((x) => x > 2)
  .drop(1);
const entries = new Map([["a", 1], ["b", 2]]).entries();
export function plant() {
  chain.next();
  entries.next();
  Iterator.prototype.map = undefined;
}
export function probe() {
  return [chain.next().value, taken, entries.next().value, typeof [].values().map];
}
