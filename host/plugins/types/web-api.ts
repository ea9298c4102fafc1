/** Web globals as a plugin sees them: console, timers, text encoding, URLs, navigator, performance. */

import type { ApiGroup } from "./api-group.ts";

const CONSOLE = `
interface Console {
  assert(condition?: boolean, ...data: any[]): void;
  clear(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  debug(...data: any[]): void;
  dir(item?: any, options?: any): void;
  dirxml(...data: any[]): void;
  error(...data: any[]): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  info(...data: any[]): void;
  log(...data: any[]): void;
  profile(label?: string): void;
  profileEnd(label?: string): void;
  table(data?: any, properties?: string[]): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeStamp(label?: string): void;
  trace(...data: any[]): void;
  warn(...data: any[]): void;
}
/** Writes to the call's log. */
declare var console: Console;
`;

const TIMERS = `
declare function setTimeout(callback: (...args: any[]) => void, delayMs?: number, ...args: any[]): number;
declare function setInterval(callback: (...args: any[]) => void, delayMs?: number, ...args: any[]): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function queueMicrotask(callback: () => void): void;
`;

const TEXTS = `
type BufferSource = ArrayBufferView<ArrayBuffer> | ArrayBuffer;
interface TextDecoderOptions {
  fatal?: boolean;
  ignoreBOM?: boolean;
}
interface TextDecodeOptions {
  stream?: boolean;
}
interface TextEncoderEncodeIntoResult {
  read: number;
  written: number;
}
declare class TextDecoder {
  constructor(label?: string, options?: TextDecoderOptions);
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: ArrayBufferView | ArrayBufferLike, options?: TextDecodeOptions): string;
}
declare class TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array<ArrayBuffer>;
  encodeInto(input: string, target: Uint8Array): TextEncoderEncodeIntoResult;
}
declare function atob(text: string): string;
declare function btoa(text: string): string;
interface StructuredSerializeOptions {
  transfer?: ArrayBuffer[];
}
declare function structuredClone<T = any>(value: T, options?: StructuredSerializeOptions): T;
`;

const URLS = `
declare class URL {
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  constructor(url: string | URL, base?: string | URL);
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toJSON(): string;
  toString(): string;
}
declare class URLSearchParams {
  constructor(init?: Iterable<string[]> | Record<string, string> | string | URLSearchParams);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  entries(): IterableIterator<[string, string]>;
  forEach(callback: (value: string, key: string, parent: URLSearchParams) => void, thisArg?: any): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  keys(): IterableIterator<string>;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
`;

const MACHINE = `
declare class Navigator {
  private constructor();
  readonly hardwareConcurrency: number;
  readonly language: string;
  readonly languages: string[];
  readonly platform: string;
  readonly userAgent: string;
  readonly userAgentData: NavigatorUAData;
}
interface NavigatorUABrandVersion {
  brand: string;
  version: string;
}
interface UALowEntropyJSON {
  brands: NavigatorUABrandVersion[];
  mobile: boolean;
  platform: string;
}
interface UADataValues extends UALowEntropyJSON {
  architecture?: string;
  bitness?: string;
  fullVersionList?: NavigatorUABrandVersion[];
  model?: string;
  platformVersion?: string;
  uaFullVersion?: string;
  wow64?: boolean;
}
declare class NavigatorUAData {
  private constructor();
  readonly brands: NavigatorUABrandVersion[];
  readonly mobile: boolean;
  readonly platform: string;
  getHighEntropyValues(hints: string[]): Promise<UADataValues>;
  toJSON(): UALowEntropyJSON;
}
declare var navigator: Navigator;
declare var self: typeof globalThis;
`;

const MEASURING = `
interface PerformanceMarkOptions {
  detail?: any;
  startTime?: number;
}
interface PerformanceMeasureOptions {
  detail?: any;
  start?: string | number;
  duration?: number;
  end?: string | number;
}
type PerformanceEntryList = PerformanceEntry[];
declare class PerformanceEntry {
  protected constructor();
  readonly duration: number;
  readonly entryType: string;
  readonly name: string;
  readonly startTime: number;
  toJSON(): any;
}
declare class PerformanceMark extends PerformanceEntry {
  constructor(name: string, options?: PerformanceMarkOptions);
  readonly detail: any;
  toJSON(): any;
}
declare class PerformanceMeasure extends PerformanceEntry {
  private constructor();
  readonly detail: any;
  toJSON(): any;
}
declare class Performance extends EventTarget {
  private constructor();
  readonly timeOrigin: number;
  clearMarks(name?: string): void;
  clearMeasures(name?: string): void;
  clearResourceTimings(): void;
  getEntries(): PerformanceEntryList;
  getEntriesByName(name: string, type?: string): PerformanceEntryList;
  getEntriesByType(type: string): PerformanceEntryList;
  mark(name: string, options?: PerformanceMarkOptions): PerformanceMark;
  measure(name: string, options?: PerformanceMeasureOptions): PerformanceMeasure;
  measure(name: string, start?: string, end?: string): PerformanceMeasure;
  now(): number;
  setResourceTimingBufferSize(maxSize: number): void;
  toJSON(): any;
}
declare var performance: Performance;
`;

/** Available to every plugin. */
export const WEB_API: readonly ApiGroup[] = [
  { text: CONSOLE },
  { text: TIMERS },
  { text: TEXTS },
  { text: URLS },
  { text: MACHINE },
  { text: MEASURING },
];
