// Runs into the memory limit, catches it and goes on.
const kept = [];
export function plant() {
  try {
    for (;;) kept.push(new Uint8Array(1 << 20).fill(1));
  } catch {
    return kept.length;
  }
}
export function probe() {
  return kept.length;
}
