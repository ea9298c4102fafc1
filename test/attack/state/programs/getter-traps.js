// Plants accessors on Object.prototype for names a host reads.
export function plant() {
  for (const name of ["module", "export", "args", "then", "toJSON", "ok", "value"]) {
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      get() {
        globalThis.trapped = name;
        return undefined;
      },
      set() {
        globalThis.trapped = name;
      },
    });
  }
}
export function probe() {
  return [typeof trapped, Object.getOwnPropertyDescriptor(Object.prototype, "then") === undefined];
}
