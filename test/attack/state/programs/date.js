// Replaces the clock.
export function plant() {
  Date.now = () => 1;
  Date.prototype.getTime = () => 2;
  globalThis.Date = class {};
}
export function probe() {
  return [Date.now() > 1e12, new Date(5).getTime()];
}
