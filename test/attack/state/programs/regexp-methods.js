// Replaces what every regular expression is run by, and leaves sticky and global ones half-way.
const words = /\w+/gy;
const pairs = /(?<left>\w)(?<right>\d)/dg;
export function plant() {
  words.test("planted words");
  pairs.exec("a1b2c3");
  RegExp.prototype.exec = () => null;
  RegExp.prototype[Symbol.replace] = () => "planted";
  Object.defineProperty(RegExp.prototype, "flags", { get: () => "planted", configurable: true });
}
export function probe() {
  return [words.lastIndex, pairs.lastIndex, "a1".replace(/1/, "b"), /x/g.flags, /y/.test("y")];
}
