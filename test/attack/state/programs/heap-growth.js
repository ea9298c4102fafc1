// Makes the heap grow and keeps it.
const kept = [];
export function plant() {
  for (let i = 0; i < 12; i++) kept.push(new Uint8Array(1 << 20).fill(i + 1));
}
export function probe() {
  return kept.length;
}
