/** Deep equality of `node:assert` and `node:util`, strict and loose. */

/** Compares two values. `isStrict` uses `Object.is` and requires equal prototypes; otherwise `==`. Cycles are followed once. */
export function deepEqual(a: unknown, b: unknown, isStrict: boolean): boolean {
  return compare(a, b, { isStrict, seen: new Map() });
}

interface Comparison {
  readonly isStrict: boolean;
  /** Pairs being compared, which count as equal until another part differs. */
  readonly seen: Map<object, object>;
}

function compare(a: unknown, b: unknown, how: Comparison): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b)) {
    // eslint-disable-next-line eslint/eqeqeq -- legacy deepEqual compares so
    return !how.isStrict && !isObject(a) && !isObject(b) && (a == b || (a !== a && b !== b));
  }
  if (how.isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (tagOf(a) !== tagOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (how.seen.get(a) === b) return true;
  how.seen.set(a, b);
  const isEqual = compareInside(a, b, how);
  how.seen.delete(a);
  return isEqual;
}

function compareInside(a: object, b: object, how: Comparison): boolean {
  if (a instanceof Date && b instanceof Date && !Object.is(a.getTime(), b.getTime())) return false;
  if (a instanceof RegExp && b instanceof RegExp && (a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex))
    return false;
  if (a instanceof Error && b instanceof Error && (a.name !== b.name || a.message !== b.message)) return false;
  if (isBoxed(a) && isBoxed(b) && !Object.is(a.valueOf(), b.valueOf())) return false;
  if (a instanceof Map && b instanceof Map) return compareMaps(a, b, how) && compareKeys(a, b, how);
  if (a instanceof Set && b instanceof Set) return compareSets(a, b, how) && compareKeys(a, b, how);
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return compareBytes(bytesOf(a), bytesOf(b));
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer) return compareBytes(new Uint8Array(a), new Uint8Array(b));
  // Their contents are not visible.
  if (a instanceof WeakMap || a instanceof WeakSet || a instanceof Promise || typeof a === "function") return false;
  return compareKeys(a, b, how);
}

function compareKeys(a: object, b: object, how: Comparison): boolean {
  const keys = keysOf(a, how);
  if (keys.length !== keysOf(b, how).length) return false;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && compare(Reflect.get(a, key), Reflect.get(b, key), how));
}

function keysOf(value: object, { isStrict }: Comparison): readonly (string | symbol)[] {
  const symbols = isStrict ? Object.getOwnPropertySymbols(value) : [];
  return [...Object.keys(value), ...symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key))];
}

function compareMaps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>, how: Comparison): boolean {
  if (a.size !== b.size) return false;
  const rest = [...b];
  return [...a].every(([key, value]) =>
    take(rest, ([otherKey, otherValue]) => compare(key, otherKey, how) && compare(value, otherValue, how)),
  );
}

function compareSets(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>, how: Comparison): boolean {
  if (a.size !== b.size) return false;
  const rest = [...b];
  return [...a].every((value) => take(rest, (other) => compare(value, other, how)));
}

/** Removes the first match, so that each item is paired only once. */
function take<T>(rest: T[], isIt: (item: T) => boolean): boolean {
  const index = rest.findIndex(isIt);
  if (index === -1) return false;
  rest.splice(index, 1);
  return true;
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function compareBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean;
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value);
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
