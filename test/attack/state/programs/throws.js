// Ends with an exception that carries state.
const kept = {};
export function plant() {
  kept.error = new Error("planted");
  throw kept.error;
}
export function probe() {
  return Object.keys(kept);
}
