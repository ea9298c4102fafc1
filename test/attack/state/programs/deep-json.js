// Nests deeper than a recursive native function can go.
const nested = [];
export function plant() {
  let value = nested;
  for (let i = 0; i < 50000; i++) {
    const inner = [];
    value.push(inner);
    value = inner;
  }
  try {
    return JSON.stringify(nested).length;
  } catch {
    return 0;
  }
}
export function probe() {
  return nested.length;
}
