// Fills the registry of symbols and the table of atoms.
export function plant() {
  for (let i = 0; i < 2000; i++) {
    Symbol.for(`planted${i}`);
    globalThis[`atom${i}`] = i;
    delete globalThis[`atom${i}`];
  }
}
export function probe() {
  return Reflect.ownKeys(globalThis).filter((key) => String(key).includes("atom")).length;
}
