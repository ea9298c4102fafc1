// Changes what the language itself looks up by its own symbols.
export function plant() {
  Object.defineProperty(Array, Symbol.species, { get: () => class Planted extends Array {} });
  Array.prototype[Symbol.isConcatSpreadable] = false;
  Object.defineProperty(Date.prototype, Symbol.toPrimitive, { value: undefined });
  Object.prototype[Symbol.toStringTag] = "planted";
  String.prototype[Symbol.iterator] = function* () {};
  Symbol.prototype.valueOf = () => "planted";
  Object.prototype[Symbol.for("Deno.customInspect")] = () => "planted";
}
export function probe() {
  return [
    [1].map((x) => x).constructor.name,
    [1].concat([2]).length,
    typeof Date.prototype[Symbol.toPrimitive],
    String({}),
    [..."ab"].length,
    Deno.inspect({}),
  ];
}
