// Writes into memory that is made for sharing.
const shared = new SharedArrayBuffer(4096);
const words = new Int32Array(shared, 0, 1024);
export function plant() {
  Atomics.store(words, 0, 42);
  Atomics.add(words, 1, 7);
  Atomics.notify(words, 0);
}
export function probe() {
  return [Atomics.load(words, 0), Atomics.exchange(words, 1, 1), shared.byteLength];
}
