// Reaches objects of the language that have no name, and changes them.
const prototypeOf = Object.getPrototypeOf;
const hidden = () => [
  prototypeOf(function* () {}),
  prototypeOf(async function* () {}),
  prototypeOf(async () => {}),
  prototypeOf([][Symbol.iterator]()),
  prototypeOf(new Map()[Symbol.iterator]()),
  prototypeOf(""[Symbol.iterator]()),
  prototypeOf("a".matchAll(/a/g)),
  prototypeOf(Uint8Array),
  prototypeOf(Uint8Array.prototype),
  prototypeOf(prototypeOf([][Symbol.iterator]())),
];
export function plant() {
  for (const object of hidden()) object.planted = 1;
  prototypeOf([][Symbol.iterator]()).next = () => ({ done: true });
}
export function probe() {
  return [hidden().filter((object) => "planted" in object).length, [...[1, 2]].length];
}
