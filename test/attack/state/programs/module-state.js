// Changes module variables, closures and exported objects.
let count = 0;
const seen = [];
const hidden = (() => {
  let inner = 0;
  return () => ++inner;
})();
export const shared = { list: [] };
export function plant() {
  count++;
  seen.push("planted");
  shared.list.push("planted");
  hidden();
}
export function probe() {
  return [count, seen.length, shared.list.length, hidden()];
}
