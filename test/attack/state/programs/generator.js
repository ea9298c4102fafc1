// Leaves a generator open, with a finally block to run.
let finished = false;
const walk = (function* () {
  try {
    yield 1;
    yield 2;
  } finally {
    finished = true;
  }
})();
export function plant() {
  walk.next();
}
export function probe() {
  return [walk.next().value, finished];
}
