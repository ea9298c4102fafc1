// Replaces the machinery of promises.
export function plant() {
  Promise.prototype.then = () => "planted";
  Promise.resolve = () => "planted";
}
export function probe() {
  return [typeof Promise.resolve(1), String(Promise.prototype.then).includes("native")];
}
