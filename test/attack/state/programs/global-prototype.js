// Puts something below the global object, where every missing name is looked up.
let asked = 0;
export function plant() {
  const below = new Proxy({ planted: 1 }, { has: (target, key) => (asked++, key in target), get: (target, key) => (asked++, target[key]) });
  Object.setPrototypeOf(Object.prototype.constructor, below);
  Object.setPrototypeOf(Math, below);
  try {
    Object.setPrototypeOf(globalThis, below);
  } catch {
    globalThis.refused = 1;
  }
}
export function probe() {
  return [typeof planted, typeof Object.planted, typeof Math.planted, typeof refused, asked];
}
