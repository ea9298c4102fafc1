// Plants variables in every way a global can come about.
export function plant() {
  globalThis.planted = 1;
  (0, eval)("var plantedVar = 2; function plantedFunction() {}");
  Object.defineProperty(globalThis, "plantedHidden", { value: 3, configurable: true });
}
export function probe() {
  return [typeof planted, typeof plantedVar, typeof plantedFunction, Reflect.ownKeys(globalThis).length];
}
