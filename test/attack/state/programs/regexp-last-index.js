// Leaves a shared regular expression in the middle of a match.
const pattern = /a/g;
export function plant() {
  pattern.test("aaa");
  pattern.compile("b", "g");
  pattern.lastIndex = 2;
}
export function probe() {
  return [pattern.lastIndex, pattern.source];
}
