/** `performance`: High Resolution Time and User Timing, on the host's monotonic clock. */

import { performanceNow, resetTime, timeOrigin } from "../call/call-time.ts";
import { arraySort, bareList, define, PrimordialTypeError } from "../language/primordials.ts";
import { EventTarget } from "./event-target.ts";
import { structuredClone } from "./structured-clone.ts";
import { DOMException } from "./dom-exception.ts";
import { exposeInterface, requireArguments, shapeInterface, showAs, toDictionary, toDomString } from "./webidl.ts";

/** Restarts the time and drops the measurements of the load when a call begins. */
export function resetPerformance(): void {
  resetTime();
  entries.length = 0;
}

const entries = bareList<PerformanceEntry>();
/** Maximum entries; a program that marks in a loop keeps its latest marks. */
const MAX_ENTRIES = 10_000;

/** Proves that this module creates an entry. */
const secret = {};

class PerformanceEntry {
  #name: string;
  #entryType: string;
  #startTime: number;
  #duration: number;

  constructor(name: string, entryType: string, times: { readonly start: number; readonly duration: number }, key: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
    this.#name = name;
    this.#entryType = entryType;
    this.#startTime = times.start;
    this.#duration = times.duration;
  }

  get name(): string {
    return this.#name;
  }

  get entryType(): string {
    return this.#entryType;
  }

  get startTime(): number {
    return this.#startTime;
  }

  get duration(): number {
    return this.#duration;
  }

  toJSON(): Record<string, unknown> {
    return { name: this.#name, entryType: this.#entryType, startTime: this.#startTime, duration: this.#duration };
  }
}

class PerformanceMark extends PerformanceEntry {
  #detail: unknown;

  constructor(name: unknown, options: unknown = undefined) {
    requireArguments(arguments.length, 1, "construct 'PerformanceMark'");
    const { startTime, detail } = toDictionary(options, "Failed to construct 'PerformanceMark'");
    const start = startTime === undefined ? performanceNow() : toTime(startTime);
    super(toDomString(name), "mark", { start, duration: 0 }, secret);
    this.#detail = detail === undefined || detail === null ? null : structuredClone(detail);
  }

  get detail(): unknown {
    return this.#detail;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), detail: this.#detail };
  }
}

class PerformanceMeasure extends PerformanceEntry {
  #detail: unknown;

  constructor(name: string, times: { readonly start: number; readonly duration: number }, detail: unknown, key: unknown) {
    super(name, "measure", times, key);
    this.#detail = detail;
  }

  get detail(): unknown {
    return this.#detail;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), detail: this.#detail };
  }
}

class Performance extends EventTarget {
  #isPerformance = true;

  constructor(key: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
    super();
  }

  static #require(value: object): void {
    if (!(#isPerformance in value)) throw new PrimordialTypeError("Illegal invocation");
  }

  get timeOrigin(): number {
    Performance.#require(this);
    return timeOrigin();
  }

  now(): number {
    Performance.#require(this);
    return performanceNow();
  }

  mark(name: unknown, options: unknown = undefined): PerformanceMark {
    requireArguments(arguments.length, 1, "execute 'mark' on 'Performance'");
    const mark = new PerformanceMark(name, options);
    keep(mark);
    return mark;
  }

  measure(name: unknown, startOrOptions: unknown = undefined, endMark: unknown = undefined): PerformanceMeasure {
    requireArguments(arguments.length, 1, "execute 'measure' on 'Performance'");
    const isOptions = typeof startOrOptions === "object" && startOrOptions !== null;
    const options = isOptions ? toDictionary(startOrOptions, "Failed to execute 'measure'") : { start: startOrOptions, end: endMark };
    const { start, end, duration, detail }: Readonly<Record<string, unknown>> = options;
    if (start !== undefined && end !== undefined && duration !== undefined) {
      throw new PrimordialTypeError("Failed to execute 'measure' on 'Performance': give at most two of start, end and duration");
    }
    const length = duration === undefined ? undefined : toTime(duration);
    const until =
      end === undefined ? (length === undefined || start === undefined ? performanceNow() : timeOf(start) + length) : timeOf(end);
    const from = start === undefined ? (length === undefined ? 0 : until - length) : timeOf(start);
    const copy = detail === undefined || detail === null ? null : structuredClone(detail);
    const measure = new PerformanceMeasure(toDomString(name), { start: from, duration: until - from }, copy, secret);
    keep(measure);
    return measure;
  }

  clearMarks(name: unknown = undefined): void {
    clear("mark", name);
  }

  clearMeasures(name: unknown = undefined): void {
    clear("measure", name);
  }

  /** Does nothing, because requests leave no entries. */
  clearResourceTimings(): void {}

  setResourceTimingBufferSize(_size: unknown): void {
    requireArguments(arguments.length, 1, "execute 'setResourceTimingBufferSize' on 'Performance'");
  }

  getEntries(): PerformanceEntry[] {
    return select(undefined, undefined);
  }

  getEntriesByName(name: unknown, type: unknown = undefined): PerformanceEntry[] {
    return select(toDomString(name), type === undefined ? undefined : toDomString(type));
  }

  getEntriesByType(type: unknown): PerformanceEntry[] {
    return select(undefined, toDomString(type));
  }

  toJSON(): Record<string, unknown> {
    return { timeOrigin: this.timeOrigin };
  }
}

function toTime(value: unknown): number {
  const time = +(value as number);
  if (!(time >= 0)) throw new PrimordialTypeError("A time cannot be negative");
  return time;
}

/** Returns the time itself, or the time of the last mark with that name. */
function timeOf(markOrTime: unknown): number {
  if (typeof markOrTime === "number") return toTime(markOrTime);
  const name = toDomString(markOrTime);
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.entryType === "mark" && entry.name === name) return entry.startTime;
  }
  throw new DOMException(`Cannot find mark: "${name}"`, "SyntaxError");
}

function keep(entry: PerformanceEntry): void {
  if (entries.length >= MAX_ENTRIES) {
    for (let index = 1; index < entries.length; index++) {
      const moved = entries[index];
      if (moved !== undefined) entries[index - 1] = moved;
    }
    entries.length -= 1;
  }
  entries[entries.length] = entry;
}

function clear(type: string, name: unknown): void {
  const only = name === undefined ? undefined : toDomString(name);
  let kept = 0;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) continue;
    if (entry.entryType === type && (only === undefined || entry.name === only)) continue;
    entries[kept++] = entry;
  }
  entries.length = kept;
}

function select(name: string | undefined, type: string | undefined): PerformanceEntry[] {
  const found: PerformanceEntry[] = [];
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined || (name !== undefined && entry.name !== name) || (type !== undefined && entry.entryType !== type)) continue;
    define(found, found.length, entry, true);
  }
  return arraySort(found, (a, b) => a.startTime - b.startTime);
}

export function installPerformance(global: object): void {
  const performance = new Performance(secret);
  shapeInterface(PerformanceEntry, "PerformanceEntry");
  exposeInterface(global, "Performance", Performance);
  exposeInterface(global, "PerformanceEntry", PerformanceEntry);
  exposeInterface(global, "PerformanceMark", PerformanceMark);
  exposeInterface(global, "PerformanceMeasure", PerformanceMeasure);
  for (const constructor of [Performance, PerformanceEntry])
    Reflect.defineProperty(constructor, "length", { value: 0, configurable: true });
  define(global, "performance", performance, true);
  showAs((value) => (value === performance ? { name: "Performance", members: { timeOrigin: performance.timeOrigin } } : undefined));
}
