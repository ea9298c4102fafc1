// Keeps state in collections.
const map = new Map();
const set = new Set();
export function plant() {
  for (let i = 0; i < 1000; i++) {
    map.set(`planted${i}`, { i });
    set.add(i);
  }
}
export function probe() {
  return [map.size, set.size];
}
