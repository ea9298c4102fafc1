/** `structuredClone` (https://html.spec.whatwg.org/#structuredserializeinternal), entirely in the guest. */

import { classify } from "../inspect/classify.ts";
import { DOMException, isDomException } from "./dom-exception.ts";
import { errorHeader, readText } from "../inspect/inspect-error.ts";
import {
  arrayBufferByteLength,
  arrayBufferDetached,
  arrayBufferMaxByteLength,
  arrayBufferResizable,
  arrayBufferTransfer,
  bareList,
  bigIntValueOf,
  booleanValueOf,
  type Callable,
  dataViewBuffer,
  dataViewByteLength,
  dataViewByteOffset,
  dateGetTime,
  define,
  functionToString,
  mapForEach,
  mapGet,
  mapSet,
  numberValueOf,
  objectIsEnumerable,
  objectHasOwn,
  PrimordialArrayBuffer,
  PrimordialDataView,
  PrimordialDate,
  PrimordialError,
  PrimordialMap,
  PrimordialObject,
  PrimordialRegExp,
  PrimordialSet,
  PrimordialTypeError,
  PrimordialUint8Array,
  reflectConstruct,
  reflectGet,
  reflectOwnKeys,
  regExpFlags,
  regExpSource,
  setAdd,
  setForEach,
  stringValueOf,
  symbolToString,
  typedArrayBuffer,
  typedArrayByteOffset,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from "../language/primordials.ts";
import { cloneInterface, transferInterface } from "./serializable.ts";
import { holdsMore } from "../inspect/holds-more.ts";
import { describeInterface, exposeFunction, requireArguments, toDictionary } from "./webidl.ts";

const ERROR_CLASSES: readonly ErrorConstructor[] = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
const VIEWS: Readonly<Record<string, Callable>> = {
  ...{ Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array },
  ...{ Float32Array, Float64Array, BigInt64Array, BigUint64Array },
  // ES2025; the engine has it, the library types may not.
  Float16Array: (globalThis as unknown as { Float16Array: Callable }).Float16Array,
} as unknown as Record<string, Callable>;

/** A container whose copy exists and is being filled, one member per step. */
interface Filling {
  /** @returns whether there was another member */
  readonly step: () => boolean;
}

interface Cloning {
  readonly seen: Map<object, object>;
  /** Open containers, innermost last. A list replaces recursion, so that a linked list of thousands of nodes needs no deep stack. */
  readonly open: Filling[];
}

/** Copies a value deeply. @throws {DOMException} `DataCloneError` if a value cannot be copied */
export function structuredClone(value: unknown, options?: unknown): unknown {
  requireArguments(arguments.length, 1, "execute 'structuredClone'");
  const { transfer } = toDictionary(options, "Failed to execute 'structuredClone'");
  return cloneAndTransfer(value, readTransfer(transfer, "execute 'structuredClone'")).value;
}

/** Copies a value and moves the transferred objects; `moved` holds the replacement of each, in order. */
export function cloneAndTransfer(
  value: unknown,
  transferred: readonly unknown[],
): { readonly value: unknown; readonly moved: readonly object[] } {
  const cloning: Cloning = { seen: new PrimordialMap<object, object>(), open: bareList<Filling>() };
  for (let index = 0; index < transferred.length; index++) requireTransferable(transferred, index);
  const moved = bareList<object>();
  for (let index = 0; index < transferred.length; index++) {
    const item = transferred[index] as object;
    const place = transferInterface(item);
    // Cloning may still fail or run getters, so buffers are detached afterwards. Ports are moved first and have no getters.
    const copy = place === undefined ? copyBuffer(item as ArrayBuffer) : place.move();
    mapSet(cloning.seen, item, copy);
    moved[index] = copy;
  }
  const copy = clone(cloning, value);
  for (let index = 0; index < transferred.length; index++) {
    const item = transferred[index] as object;
    if (classify(item) !== "array-buffer") continue;
    if (arrayBufferDetached(item)) throw notCloneable("A transferred buffer was detached meanwhile");
    arrayBufferTransfer(item);
  }
  return { value: copy, moved };
}

/** Reads the transfer list. @throws {TypeError} if it is not a sequence */
export function readTransfer(transfer: unknown, what: string): unknown[] {
  const list = bareList<unknown>();
  if (transfer === undefined) return list;
  if (typeof transfer !== "object" || transfer === null) throw new PrimordialTypeError(`Failed to ${what}: transfer is not a sequence`);
  for (const item of transfer as Iterable<unknown>) list[list.length] = item;
  return list;
}

function requireTransferable(transferred: readonly unknown[], index: number): void {
  const item = transferred[index];
  if (typeof item !== "object" || item === null) throw notCloneable("Value not transferable");
  const place = transferInterface(item);
  if (place !== undefined) place.check();
  else if (classify(item) !== "array-buffer") throw notCloneable("Value not transferable");
  else if (arrayBufferDetached(item)) throw notCloneable(`ArrayBuffer at index ${index} is already detached`);
  for (let other = 0; other < index; other++) {
    if (transferred[other] === item) throw notCloneable("Cannot transfer the same object twice");
  }
}

function notCloneable(message: string): DOMException {
  return new DOMException(message, "DataCloneError");
}

function clone(cloning: Cloning, value: unknown): unknown {
  const { open } = cloning;
  const copy = begin(cloning, value);
  while (open.length > 0) {
    // A step may open another container, which is filled first; a last step opens none.
    if (open[open.length - 1]?.step() !== true) open.length -= 1;
  }
  return copy;
}

/** Returns the copy of a primitive or a leaf, or the empty copy of a container that is now open. */
function begin(cloning: Cloning, value: unknown): unknown {
  if (typeof value === "symbol") throw notCloneable(`${symbolToString(value)} could not be cloned.`);
  if (typeof value === "function") throw notCloneable(`${functionToString(value)} could not be cloned.`);
  if (typeof value !== "object" || value === null) return value;
  return mapGet(cloning.seen, value) ?? cloneObject(cloning, value);
}

function fill(cloning: Cloning, step: () => boolean): void {
  cloning.open[cloning.open.length] = { step };
}

function cloneObject(cloning: Cloning, value: object): object {
  const name = holdsMore(value);
  if (name !== undefined) throw notCloneable(`${name} could not be cloned.`);
  if (isDomException(value))
    return remember(cloning, value, new DOMException((value as DOMException).message, (value as DOMException).name));
  const copy = cloneInterface(value);
  if (copy !== undefined) return remember(cloning, value, copy);
  if (describeInterface(value) !== undefined) throw notCloneable("Cannot clone object of unsupported type.");
  switch (classify(value)) {
    case "object":
      return cloneProperties(cloning, value, remember(cloning, value, {}));
    case "array": {
      const copy: unknown[] = [];
      copy.length = (value as unknown[]).length;
      return cloneProperties(cloning, value, remember(cloning, value, copy));
    }
    case "map":
      return cloneMap(cloning, value as Map<unknown, unknown>);
    case "set":
      return cloneSet(cloning, value);
    case "date":
      return remember(cloning, value, new PrimordialDate(dateGetTime(value)));
    case "regexp":
      return remember(cloning, value, new PrimordialRegExp(regExpSource(value), regExpFlags(value)));
    case "error":
      return cloneError(cloning, value);
    case "boolean":
      return remember(cloning, value, PrimordialObject(booleanValueOf(value)) as object);
    case "number":
      return remember(cloning, value, PrimordialObject(numberValueOf(value)) as object);
    case "string":
      return remember(cloning, value, PrimordialObject(stringValueOf(value)) as object);
    case "bigint":
      return remember(cloning, value, PrimordialObject(bigIntValueOf(value)) as object);
    case "array-buffer":
      return remember(cloning, value, copyBuffer(value as ArrayBuffer));
    case "typed-array":
      return cloneTypedArray(cloning, value);
    case "data-view":
      return cloneDataView(cloning, value);
    case "promise":
      throw notCloneable("#<Promise> could not be cloned.");
    case "weak-map":
      throw notCloneable("#<WeakMap> could not be cloned.");
    case "weak-set":
      throw notCloneable("#<WeakSet> could not be cloned.");
    case "weak-ref":
      throw notCloneable("#<WeakRef> could not be cloned.");
    default:
      throw notCloneable("The object could not be cloned.");
  }
}

function remember<T extends object>(cloning: Cloning, value: object, copy: T): T {
  mapSet(cloning.seen, value, copy);
  return copy;
}

/** Copies own enumerable string keys, in order; each getter runs once. */
function cloneProperties(cloning: Cloning, value: object, copy: object): object {
  const keys = reflectOwnKeys(value);
  let index = 0;
  fill(cloning, () => {
    if (index >= keys.length) return false;
    const key = keys[index++];
    if (typeof key === "string" && objectIsEnumerable(value, key)) define(copy, key, begin(cloning, reflectGet(value, key)), true);
    return true;
  });
  return copy;
}

function cloneMap(cloning: Cloning, value: Map<unknown, unknown>): object {
  const copy = remember(cloning, value, new PrimordialMap<unknown, unknown>());
  // The entries are listed first, because a getter may change the map during the copy.
  const entries = bareList<unknown>();
  mapForEach(value, (item, key) => {
    entries[entries.length] = key;
    entries[entries.length] = item;
  });
  let index = 0;
  let key: unknown;
  fill(cloning, () => {
    if (index >= entries.length) return false;
    const member = begin(cloning, entries[index]);
    if (index % 2 === 0) key = member;
    else mapSet(copy, key, member);
    index++;
    return true;
  });
  return copy;
}

function cloneSet(cloning: Cloning, value: object): object {
  const copy = remember(cloning, value, new PrimordialSet<unknown>());
  const items = bareList<unknown>();
  setForEach(value, (item) => {
    items[items.length] = item;
  });
  let index = 0;
  fill(cloning, () => {
    if (index >= items.length) return false;
    setAdd(copy, begin(cloning, items[index++]));
    return true;
  });
  return copy;
}

/** Copies name, message, stack and cause. The seven native error classes keep their class, every other becomes an Error. */
function cloneError(cloning: Cloning, value: object): object {
  const name = readText(value, "name");
  let constructor = PrimordialError;
  for (let index = 0; index < ERROR_CLASSES.length; index++) {
    const candidate = ERROR_CLASSES[index];
    if (candidate !== undefined && candidate.name === name) constructor = candidate;
  }
  const message = reflectGet(value, "message");
  const copy = remember(cloning, value, message === undefined ? new constructor() : new constructor(`${message as string}`));
  define(copy, "stack", readText(value, "stack") ?? errorHeader(value, undefined));
  if (objectHasOwn(value, "cause")) {
    fill(cloning, () => {
      if (objectHasOwn(copy, "cause")) return false;
      define(copy, "cause", begin(cloning, reflectGet(value, "cause")));
      return true;
    });
  }
  return copy;
}

function copyBuffer(buffer: ArrayBuffer): ArrayBuffer {
  if (arrayBufferDetached(buffer)) throw notCloneable("An ArrayBuffer is detached and could not be cloned.");
  const length = arrayBufferByteLength(buffer);
  // ES2024; the engine has resizable buffers, the library types may not.
  const copy = arrayBufferResizable(buffer)
    ? (reflectConstruct(PrimordialArrayBuffer as unknown as Callable, [
        length,
        { __proto__: null, maxByteLength: arrayBufferMaxByteLength(buffer) },
      ]) as ArrayBuffer)
    : new PrimordialArrayBuffer(length);
  typedArraySet(new PrimordialUint8Array(copy), new PrimordialUint8Array(buffer));
  return copy;
}

function cloneTypedArray(cloning: Cloning, value: object): object {
  const buffer = begin(cloning, typedArrayBuffer(value)) as ArrayBuffer;
  const constructor = VIEWS[typedArrayTag(value) ?? ""];
  if (constructor === undefined) throw notCloneable("The view could not be cloned.");
  const args = [buffer, typedArrayByteOffset(value), typedArrayLength(value)];
  return remember(cloning, value, reflectConstruct(constructor, args));
}

function cloneDataView(cloning: Cloning, value: object): object {
  const buffer = begin(cloning, dataViewBuffer(value)) as ArrayBuffer;
  return remember(cloning, value, new PrimordialDataView(buffer, dataViewByteOffset(value), dataViewByteLength(value)));
}

export function installStructuredClone(global: object): void {
  exposeFunction(global, "structuredClone", structuredClone, 1);
}
