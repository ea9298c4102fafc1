// Fills the table of hidden classes.
const kept = [];
export function plant() {
  for (let i = 0; i < 500; i++) kept.push(new ((0, eval)(`(class C${i} { p${i} = 1; m${i}() {} })`))());
}
export function probe() {
  return kept.length;
}
