// Registers for finalisation and keeps weak references.
let target = { planted: true };
const weak = { map: new WeakMap(), set: new WeakSet(), ref: undefined };
export function plant() {
  weak.ref = new WeakRef(target);
  weak.map.set(target, 1);
  weak.set.add(target);
  if (typeof FinalizationRegistry === "function") new FinalizationRegistry(() => {}).register(target, 1);
  target = {};
}
export function probe() {
  return [weak.ref === undefined, target.planted];
}
