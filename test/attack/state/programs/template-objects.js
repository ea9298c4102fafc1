// Makes a tagged template's object come into being, and remembers which one it was.
const seen = new WeakSet();
const site = () => ((strings) => strings)`planted ${1} here`;
export function plant() {
  seen.add(site());
  return site() === site();
}
export function probe() {
  return seen.has(site());
}
