// Leaves an async generator and its queue of requests open.
const steps = [];
const walk = (async function* () {
  steps.push("began");
  yield 1;
})();
export function plant() {
  walk.next();
  walk.next();
  walk.return();
}
export function probe() {
  return steps.length;
}
