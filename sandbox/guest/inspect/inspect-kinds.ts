/** Shows each kind of built-in object. */

import type { ObjectKind } from "./classify.ts";
import type { Inspection, Shape } from "./inspection.ts";
import { showError } from "./inspect-error.ts";
import { showPrimitive } from "./inspect-text.ts";
import {
  arrayBufferByteLength,
  arrayJoin,
  bareList,
  bigIntValueOf,
  booleanValueOf,
  dataViewBuffer,
  dataViewByteLength,
  dataViewByteOffset,
  dateGetTime,
  dateToISOString,
  functionToString,
  mapForEach,
  mapSize,
  mathMin,
  numberToString,
  numberValueOf,
  objectHasOwn,
  objectToString,
  PrimordialUint8Array,
  PrimordialSymbol,
  reflectGet,
  reflectGetOwnPropertyDescriptor,
  reflectGetPrototypeOf,
  reflectOwnKeys,
  regExpFlags,
  regExpSource,
  setForEach,
  setSize,
  stringEndsWith,
  stringPadStart,
  stringSlice,
  stringStartsWith,
  stringValueOf,
  symbolValueOf,
  typedArrayLength,
  typedArrayTag,
} from "../language/primordials.ts";
import type { Described } from "../web/webidl.ts";

/** Names of an object: the nearest constructor's name (absent without a prototype) and an additional tag. */
export interface Naming {
  readonly name: string | undefined;
  readonly tag: string;
}

const { toStringTag } = PrimordialSymbol;
const NOTHING: readonly string[] = [];
const BRACES: Shape = { base: "", open: "{", close: "}", columns: false, indexes: 0, hidden: NOTHING, omitted: NOTHING };

export function shapeOf(value: object, kind: ObjectKind, naming: Naming): Shape {
  switch (kind) {
    case "array":
      return listShape(value as unknown[], naming);
    case "typed-array":
      return typedArrayShape(value, naming);
    case "map":
      return { ...braces(naming, "Map", `(${mapSize(value)})`), entries: mapEntriesOf(value as Map<unknown, unknown>) };
    case "set":
      return { ...braces(naming, "Set", `(${setSize(value)})`), entries: setEntriesOf(value) };
    case "error":
      return showError(value as Error, naming.name, BRACES);
    case "function":
      return withBase(functionBase(value), naming);
    case "date":
      return withBase(dateText(value), naming);
    case "regexp":
      return withBase(`/${regExpSource(value)}/${regExpFlags(value)}`, naming);
    case "number":
      return withBase(boxed("Number", numberValueOf(value), naming), naming);
    case "boolean":
      return withBase(boxed("Boolean", booleanValueOf(value), naming), naming);
    case "bigint":
      return withBase(boxed("BigInt", bigIntValueOf(value), naming), naming);
    case "symbol":
      return withBase(boxed("Symbol", symbolValueOf(value), naming), naming);
    case "string":
      return { ...withBase(`[String: "${stringValueOf(value)}"]`, naming), indexes: stringValueOf(value).length };
    case "array-buffer":
      return { ...braces(naming, "ArrayBuffer"), entries: (inspection) => bufferEntries(inspection, value as ArrayBuffer) };
    case "data-view":
      return { ...braces(naming, "DataView"), entries: (inspection, level) => viewEntries(inspection, value, level) };
    case "weak-map":
    case "weak-set":
      return { ...braces(naming, kind === "weak-map" ? "WeakMap" : "WeakSet"), entries: () => listOf("<items unknown>") };
    case "promise":
      // The engine does not reveal whether a promise is settled.
      return { ...braces(naming, "Promise"), entries: () => listOf("<state unknown>") };
    case "shared-array-buffer":
    case "weak-ref":
    case "object":
      return plainShape(value, naming);
    default:
      return kind satisfies never;
  }
}

/** Returns the shape of an interface of the prelude: its members, or its pairs. */
export function namedShape({ name, entries }: Described): Shape {
  return { ...BRACES, open: `${name} {`, ...(entries !== undefined && entries.length > 0 && { entries: () => copyOf(entries) }) };
}

function copyOf(texts: readonly string[]): string[] {
  const list = bareList<string>();
  for (let index = 0; index < texts.length; index++) list[index] = texts[index] ?? "";
  return list;
}

function listOf(text: string): string[] {
  const list = bareList<string>();
  list[0] = text;
  return list;
}

function braces(naming: Naming, fallback: string, size = ""): Shape {
  return { ...BRACES, open: `${prefix(naming, fallback, size)}{` };
}

function withBase(base: string, { tag }: Naming): Shape {
  return { ...BRACES, base: tag === "" || stringStartsWith(base, "[") ? base : `${base} [${tag}]` };
}

/** Returns `Name(2) [Tag] `, with a note for a null prototype. */
function prefix({ name, tag }: Naming, fallback: string, size = ""): string {
  const shownTag = tag === "" || (name === undefined && tag === fallback) ? "" : `[${tag}] `;
  return `${name === undefined ? `[${fallback}${size}: null prototype]` : `${name}${size}`} ${shownTag}`;
}

function plainShape(value: object, naming: Naming): Shape {
  const builtin = objectToString(value);
  if (builtin === "[object Arguments]") return { ...BRACES, open: "[Arguments] {" };
  if (builtin === "[object Module]") return { ...BRACES, open: "[Module: null prototype] {" };
  if (naming.name === "Object" && naming.tag === "") return BRACES;
  return braces(naming, "Object");
}

function listShape(value: unknown[], naming: Naming): Shape {
  const { length } = value;
  const isPlain = naming.name === "Array" && naming.tag === "";
  return {
    ...BRACES,
    open: isPlain ? "[" : `${prefix(naming, "Array", `(${length})`)}[`,
    close: "]",
    columns: true,
    indexes: length,
    ...(length > 0 && { entries: (inspection: Inspection, level: number) => arrayEntries(inspection, value, level) }),
  };
}

function arrayEntries(inspection: Inspection, value: unknown[], level: number): string[] {
  const entries = bareList<string>();
  const { length } = value;
  const limit = inspection.options.iterableLimit;
  let index = 0;
  for (; index < length && entries.length < limit;) {
    if (objectHasOwn(value, index)) {
      entries[entries.length] = indented(inspection, value[index], level);
      index++;
      continue;
    }
    const next = nextIndex(value, index);
    const holes = next - index;
    entries[entries.length] = `<${holes} empty item${holes === 1 ? "" : "s"}>`;
    index = next;
  }
  more(entries, length - index);
  return entries;
}

/** Returns the next index that holds a value. It reads the keys, because a sparse array can have billions of holes. */
function nextIndex(value: unknown[], from: number): number {
  for (let index = from + 1; index < value.length && index < from + 64; index++) if (objectHasOwn(value, index)) return index;
  const keys = reflectOwnKeys(value);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    const number = typeof key === "string" ? +key : -1;
    if (number > from && number < value.length) return number;
  }
  return value.length;
}

function more(entries: string[], count: number): void {
  if (count > 0) entries[entries.length] = `... ${count} more item${count === 1 ? "" : "s"}`;
}

function indented(inspection: Inspection, value: unknown, level: number): string {
  inspection.indentation += 2;
  const text = inspection.show(value, level + 1);
  inspection.indentation -= 2;
  return text;
}

function typedArrayShape(value: object, naming: Naming): Shape {
  const length = typedArrayLength(value);
  return {
    ...BRACES,
    open: `${prefix(naming, typedArrayTag(value) ?? "TypedArray", `(${length})`)}[`,
    close: "]",
    columns: true,
    indexes: length,
    ...(length > 0 && { entries: (inspection: Inspection) => numberEntries(inspection, value as ArrayLike<number>, length) }),
  };
}

function numberEntries(inspection: Inspection, value: ArrayLike<number>, length: number): string[] {
  const entries = bareList<string>();
  const shown = mathMin(length, inspection.options.iterableLimit);
  for (let index = 0; index < shown; index++) entries[index] = showPrimitive(value[index]);
  more(entries, length - shown);
  return entries;
}

function mapEntriesOf(value: Map<unknown, unknown>): NonNullable<Shape["entries"]> {
  return (inspection, level) => {
    const entries = bareList<string>();
    mapForEach(value, (item, key) => {
      if (entries.length >= inspection.options.iterableLimit) return;
      entries[entries.length] = `${indented(inspection, key, level)} => ${indented(inspection, item, level)}`;
    });
    more(entries, mapSize(value) - entries.length);
    return entries;
  };
}

function setEntriesOf(value: object): NonNullable<Shape["entries"]> {
  return (inspection, level) => {
    const entries = bareList<string>();
    setForEach(value, (item) => {
      if (entries.length < inspection.options.iterableLimit) entries[entries.length] = indented(inspection, item, level);
    });
    more(entries, setSize(value) - entries.length);
    return entries;
  };
}

function bufferEntries({ options }: Inspection, value: ArrayBuffer): string[] {
  const length = arrayBufferByteLength(value);
  const shown = mathMin(length, options.iterableLimit);
  const bytes = new PrimordialUint8Array(value);
  const hex = bareList<string>();
  for (let index = 0; index < shown; index++) hex[index] = stringPadStart(numberToString(bytes[index] ?? 0, 16), 2, "0");
  const rest = length - shown;
  const note = rest > 0 ? ` ... ${rest} more byte${rest === 1 ? "" : "s"}` : "";
  const entries = listOf(`[Uint8Contents]: <${arrayJoin(hex, " ")}${note}>`);
  entries[1] = `byteLength: ${length}`;
  return entries;
}

function viewEntries(inspection: Inspection, value: object, level: number): string[] {
  const entries = listOf(`byteLength: ${dataViewByteLength(value)}`);
  entries[1] = `byteOffset: ${dataViewByteOffset(value)}`;
  entries[2] = `buffer: ${indented(inspection, dataViewBuffer(value), level)}`;
  return entries;
}

function dateText(value: object): string {
  const time = dateGetTime(value);
  return time === time ? dateToISOString(value) : "Invalid Date";
}

function boxed(type: string, value: unknown, { name }: Naming): string {
  const subclass = name === type || name === undefined ? "" : ` (${name})`;
  return `[${type}${subclass}: ${showPrimitive(value)}]`;
}

function functionBase(value: object): string {
  const name: unknown = reflectGetOwnPropertyDescriptor(value, "name")?.value;
  const source = functionToString(value);
  const label = typeof name === "string" && name !== "" ? name : "(anonymous)";
  if (stringStartsWith(source, "class") && stringEndsWith(source, "}")) return `[class ${label}${superclass(value)}]`;
  const tag = reflectGet(value, toStringTag);
  const type = typeof tag === "string" && stringEndsWith(tag, "Function") ? tag : "Function";
  return label === "(anonymous)" ? `[${type} (anonymous)]` : `[${type}: ${label}]`;
}

function superclass(value: object): string {
  const parent = reflectGetPrototypeOf(value);
  const name: unknown = parent === null ? undefined : reflectGetOwnPropertyDescriptor(parent, "name")?.value;
  return typeof name === "string" && name !== "" ? ` extends ${stringSlice(name, 0, 200)}` : "";
}
