// Leaves timers and intervals running.
let fired = 0;
export function plant() {
  setTimeout(() => fired++, 0);
  setInterval(() => fired++, 1);
  return setTimeout(() => {}, 1000);
}
export function probe() {
  return [fired, setTimeout(() => {}, 0)];
}
