/** Shows any value as text like Deno: the output of `console.log`. Bounded in size, depth and count. */

import { classify, type ObjectKind } from "./classify.ts";
import { indentLines, readText } from "./inspect-error.ts";
import { namedShape, type Naming, shapeOf } from "./inspect-kinds.ts";
import { layOut } from "./inspect-layout.ts";
import { quoteString, showKey, showPrimitive } from "./inspect-text.ts";
import { toInspectOptions } from "./inspect-options.ts";
import { DEFAULT_INSPECT, type Inspection, type InspectOptions, type Shape } from "./inspection.ts";
import {
  arrayIncludes,
  arrayJoin,
  arraySort,
  bareList,
  type Callable,
  objectHasOwn,
  objectIsEnumerable,
  PrimordialSymbol,
  reflectApply,
  reflectGet,
  reflectGetOwnPropertyDescriptor,
  reflectGetPrototypeOf,
  reflectOwnKeys,
  splitText,
  stringRepeat,
  stringSlice,
} from "../language/primordials.ts";
import { describeInterface } from "../web/webidl.ts";

/** More values than a reader needs, and few enough to stay fast. */
const MAX_VALUES = 20_000;
/** Limit for prototype chains and nesting, whatever `depth` is. */
const MAX_LEVELS = 100;

export function inspect(value: unknown, options: InspectOptions = DEFAULT_INSPECT): string {
  const inspection: Inspection = {
    options,
    path: bareList<object>(),
    circular: bareList<object>(),
    indentation: 0,
    reached: 0,
    remaining: MAX_VALUES,
    show: (inner, level) => show(inspection, inner, level),
  };
  return show(inspection, value, 0);
}

function show(inspection: Inspection, value: unknown, level: number): string {
  if (typeof value === "string") return showString(inspection, value);
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return showPrimitive(value);
  if (--inspection.remaining < 0) return "...";
  const custom = customText(inspection.options, value, level);
  if (custom !== undefined) return custom;
  const { path } = inspection;
  for (let index = 0; index < path.length; index++) {
    if (path[index] === value) return `[Circular *${circularNumber(inspection.circular, value)}]`;
  }
  return showObject(inspection, value, level);
}

/** Strings up to this length are not split. */
const SHORT_STRING = 16;

function showString({ options, indentation }: Inspection, whole: string): string {
  const hidden = whole.length - options.strAbbreviateSize;
  const text = hidden > 0 ? stringSlice(whole, 0, options.strAbbreviateSize) : whole;
  const rest = hidden > 0 ? `... ${hidden} more character${hidden === 1 ? "" : "s"}` : "";
  const isLong = text.length > SHORT_STRING && text.length > options.breakLength - indentation - 4;
  return (isLong ? quoteLines(text, `\n${stringRepeat(" ", indentation + 2)}`, options) : quoteString(text, options)) + rest;
}

/** Shows a long string as one literal per line, joined by `+`. */
function quoteLines(text: string, margin: string, options: InspectOptions): string {
  const lines = splitText(text, "\n");
  const quoted = bareList<string>();
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (index < lines.length - 1) quoted[index] = quoteString(`${line}\n`, options);
    else if (line !== "") quoted[index] = quoteString(line, options);
  }
  return arrayJoin(quoted, ` +${margin}`);
}

const denoInspect = PrimordialSymbol.for("Deno.customInspect");
const nodeInspect = PrimordialSymbol.for("nodejs.util.inspect.custom");
const { toStringTag } = PrimordialSymbol;

/** Returns the text of the program's own inspection method. */
function customText(options: InspectOptions, value: object, level: number): string | undefined {
  const deno = methodOf(value, denoInspect);
  if (deno !== undefined) return `${reflectApply(deno, value, [inspect, options]) as string}`;
  const node = methodOf(value, nodeInspect);
  if (node === undefined) return undefined;
  const answer = reflectApply(node, value, [options.depth - level, { ...options, stylize: plainText }, inspectAsAsked]);
  if (answer === value) return undefined;
  return typeof answer === "string" ? answer : inspect(answer, options);
}

/** Stands in for Node's function that colours a part. */
function plainText(text: unknown): unknown {
  return text;
}

function inspectAsAsked(value: unknown, options?: unknown): string {
  return inspect(value, toInspectOptions(options));
}

function methodOf(value: object, key: symbol): Callable | undefined {
  const found = reflectGet(value, key);
  // The program decides whether its function takes these arguments.
  return typeof found === "function" ? (found as Callable) : undefined;
}

function circularNumber(circular: object[], value: object): number {
  for (let index = 0; index < circular.length; index++) if (circular[index] === value) return index + 1;
  circular[circular.length] = value;
  return circular.length;
}

function showObject(inspection: Inspection, value: object, level: number): string {
  const { options, path } = inspection;
  const described = describeInterface(value);
  if (described?.text !== undefined) return indentLines(described.text, inspection);
  const naming: Naming = { name: constructorName(value), tag: "" };
  const kind = described === undefined ? classify(value) : "object";
  const shape = described === undefined ? shapeOf(value, kind, { ...naming, tag: tagOf(value, naming.name) }) : namedShape(described);
  const owner = described?.members ?? value;
  const keys = shownKeys(owner, shape, options.showHidden);
  if (keys.length === 0 && shape.entries === undefined) {
    return indentLines(shape.base === "" ? `${shape.open}${shape.close}` : shape.base, inspection);
  }
  if (level > options.depth || level > MAX_LEVELS) return summary(kind, naming.name);

  path[path.length] = value;
  inspection.reached = level;
  const entries = shape.entries?.(inspection, level) ?? bareList<string>();
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (key !== undefined) entries[entries.length] = showProperty(inspection, owner, { key, level });
  }
  path.length -= 1;
  if (entries.length === 0) return `${shape.open}${shape.close}`;
  if (options.sorted && kind !== "array") arraySort(entries);
  const text = layOut(inspection, entries, { shape: { ...shape, base: indentLines(shape.base, inspection) }, level, value });
  return markReferred(inspection.circular, value, text);
}

function markReferred(circular: object[], value: object, text: string): string {
  for (let index = 0; index < circular.length; index++) if (circular[index] === value) return `<ref *${index + 1}> ${text}`;
  return text;
}

function summary(kind: ObjectKind, name: string | undefined): string {
  return kind === "array" ? "[Array]" : `[${name ?? "Object: null prototype"}]`;
}

/** Returns the name of the nearest constructor on the prototype chain, or undefined. */
function constructorName(value: object): string | undefined {
  let current: object | null = value;
  for (let steps = 0; current !== null && steps < MAX_LEVELS; steps++) {
    const constructor: unknown = reflectGetOwnPropertyDescriptor(current, "constructor")?.value;
    if (typeof constructor === "function") {
      const name: unknown = reflectGetOwnPropertyDescriptor(constructor, "name")?.value;
      if (typeof name === "string" && name !== "") return name;
    }
    current = reflectGetPrototypeOf(current);
  }
  return undefined;
}

/** Returns `Symbol.toStringTag` if it differs from the constructor's name. */
function tagOf(value: object, name: string | undefined): string {
  const found = reflectGet(value, toStringTag);
  return typeof found === "string" && found !== name ? found : "";
}

function shownKeys(value: object, shape: Shape, showHidden: boolean): (string | symbol)[] {
  const all = reflectOwnKeys(value);
  const keys = bareList<string | symbol>();
  for (let index = 0; index < all.length; index++) {
    const key = all[index];
    if (key === undefined) continue;
    if (typeof key === "string" && (isIndexBelow(key, shape.indexes) || arrayIncludes(shape.omitted, key))) continue;
    if (showHidden || objectIsEnumerable(value, key)) keys[keys.length] = key;
  }
  for (let index = 0; index < shape.hidden.length && !showHidden; index++) {
    const key = shape.hidden[index];
    if (key !== undefined && objectHasOwn(value, key) && !objectIsEnumerable(value, key)) keys[keys.length] = key;
  }
  return keys;
}

function isIndexBelow(key: string, length: number): boolean {
  if (length === 0) return false;
  const index = +key;
  return index >= 0 && index < length && `${index}` === key;
}

function showProperty(inspection: Inspection, owner: object, at: { readonly key: string | symbol; readonly level: number }): string {
  const descriptor = reflectGetOwnPropertyDescriptor(owner, at.key);
  const name = showKey(at.key, descriptor?.enumerable ?? true, inspection.options);
  if (descriptor === undefined || objectHasOwn(descriptor, "value")) return `${name}: ${indented(inspection, descriptor?.value, at.level)}`;
  if (descriptor.get === undefined) return `${name}: ${descriptor.set === undefined ? "undefined" : "[Setter]"}`;
  const label = descriptor.set === undefined ? "Getter" : "Getter/Setter";
  if (!inspection.options.getters) return `${name}: [${label}]`;
  return `${name}: ${showGetter(inspection, owner, { label, get: descriptor.get as Callable, level: at.level })}`;
}

interface Getter {
  readonly label: string;
  readonly get: Callable;
  readonly level: number;
}

function showGetter(inspection: Inspection, owner: object, { label, get, level }: Getter): string {
  try {
    const value = reflectApply(get, owner, []);
    const text = indented(inspection, value, level);
    return typeof value === "object" && value !== null ? `[${label}] ${text}` : `[${label}: ${text}]`;
  } catch (error) {
    const message = typeof error === "object" && error !== null ? readText(error, "message") : undefined;
    return `[${label}: <Inspection threw (${message ?? "no message"})>]`;
  }
}

function indented(inspection: Inspection, value: unknown, level: number): string {
  inspection.indentation += 2;
  const text = inspection.show(value, level + 1);
  inspection.indentation -= 2;
  return text;
}
