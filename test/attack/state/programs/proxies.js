// Puts a proxy under the global object.
export function plant() {
  Object.setPrototypeOf(
    globalThis,
    new Proxy(Object.prototype, {
      get: (target, key) => (key === "planted" ? 666 : Reflect.get(target, key)),
      has: (target, key) => key === "planted" || Reflect.has(target, key),
    }),
  );
}
export function probe() {
  return "planted" in globalThis;
}
