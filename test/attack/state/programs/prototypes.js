// Adds to and replaces members of the built-in prototypes.
export function plant() {
  Object.prototype.planted = 1;
  Array.prototype.map = () => "planted";
  String.prototype.split = null;
  Function.prototype.call = 1;
}
export function probe() {
  return [typeof {}.planted, [1].map((x) => x + 1)[0], typeof "".split, typeof Function.prototype.call];
}
