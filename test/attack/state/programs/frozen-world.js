// Freezes what later calls would want to change.
export function plant() {
  Object.freeze(Object.prototype);
  Object.freeze(Array.prototype);
  Object.preventExtensions(globalThis);
}
export function probe() {
  return [Object.isFrozen(Object.prototype), Object.isExtensible(globalThis)];
}
