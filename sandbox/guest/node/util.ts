/** `node:util`, as far as it applies to a plugin. */

import { deepEqual } from "./deep-equal.ts";

import { sandbox } from "./globals.ts";

const denoInspect = sandbox.Deno.inspect;

interface Inspect {
  (value: unknown, options?: object): string;
  readonly custom: symbol;
}

/** `Deno.inspect` with Node's depth and quotes, and Node's symbol for custom inspection. */
export const inspect: Inspect = Object.assign(
  (value: unknown, options: object = {}): string => denoInspect(value, { depth: 2, quotes: ["'", '"', "`"], ...options }),
  {
    custom: Symbol.for("nodejs.util.inspect.custom"),
  },
);

export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  return deepEqual(a, b, true);
}

/** Formats like Node (https://nodejs.org/api/util.html#utilformatformat-args). */
export function format(first?: unknown, ...rest: readonly unknown[]): string {
  if (typeof first !== "string") return [first, ...rest].map(show).join(" ");
  let at = 0;
  const text = first.replace(/%[%sdifjoOc]/g, (mark) => {
    if (mark === "%%") return rest.length === 0 ? mark : "%";
    if (at >= rest.length) return mark;
    return formatOne(mark, rest[at++]);
  });
  return [text, ...rest.slice(at).map(show)].join(" ");
}

function formatOne(mark: string, value: unknown): string {
  switch (mark) {
    case "%s":
      return typeof value === "string"
        ? value
        : typeof value === "bigint"
          ? `${value}n`
          : typeof value === "object"
            ? inspect(value, { depth: 0 })
            : typeof value === "symbol"
              ? value.toString()
              : `${value as string}`;
    case "%d":
      return typeof value === "bigint"
        ? `${value}n`
        : typeof value === "object" || typeof value === "symbol"
          ? "NaN"
          : String(Number(value));
    case "%i":
      return typeof value === "object" || typeof value === "symbol" ? "NaN" : String(Number.parseInt(`${value as string}`, 10));
    case "%f":
      return typeof value === "symbol" ? "NaN" : String(Number.parseFloat(`${value as string}`));
    case "%j":
      return toJson(value);
    case "%c":
      return "";
    default:
      return inspect(value, mark === "%o" ? { showHidden: true, depth: 4 } : {});
  }
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "undefined";
  } catch (error) {
    if (error instanceof TypeError) return "[Circular]";
    throw error;
  }
}

function show(value: unknown): string {
  return typeof value === "string" ? value : inspect(value);
}

type Callback = (error: unknown, value?: unknown) => void;

interface Promisify {
  (original: (...args: unknown[]) => unknown): (...args: unknown[]) => Promise<unknown>;
  readonly custom: symbol;
}

const CUSTOM = Symbol.for("nodejs.util.promisify.custom");

/** Turns a function with a callback as its last argument into one that returns a promise. */
export const promisify: Promisify = Object.assign(toPromising, { custom: CUSTOM });

function toPromising(original: (...args: unknown[]) => unknown): (...args: unknown[]) => Promise<unknown> {
  if (typeof original !== "function") throw new TypeError('The "original" argument must be of type function');
  const own: unknown = Reflect.get(original, CUSTOM);
  // The custom symbol holds the function's own promise form.
  if (typeof own === "function") return own as (...args: unknown[]) => Promise<unknown>;
  return function (this: unknown, ...args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const done: Callback = (error, value) => (error === undefined || error === null ? resolve(value) : reject(error));
      Reflect.apply(original, this, [...args, done]);
    });
  };
}

/** Turns a function that returns a promise into one with a callback. */
export function callbackify(original: (...args: unknown[]) => Promise<unknown>): (...args: unknown[]) => void {
  return function (this: unknown, ...args: unknown[]): void {
    // The last argument is the callback by Node's contract.
    const done = args.pop() as Callback;
    Promise.resolve(Reflect.apply(original, this, args)).then(
      (value) => sandbox.queueMicrotask(() => done(null, value)),
      (error: unknown) => sandbox.queueMicrotask(() => done(error ?? new Error("Promise was rejected with a falsy value"))),
    );
  };
}

export function inherits(constructor: { prototype: object }, parent: { prototype: object }): void {
  Object.defineProperty(constructor, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

/** Warns once per function; Node warns once per process. */
export function deprecate<T extends (...args: never[]) => unknown>(fn: T, message: string): T {
  let warned = false;
  const warning = function (this: unknown, ...args: never[]): unknown {
    if (!warned) sandbox.console.warn(`DeprecationWarning: ${message}`);
    warned = true;
    return Reflect.apply(fn, this, args);
  };
  // The wrapper takes and returns the same as `fn`.
  return warning as unknown as T;
}

export function stripVTControlCharacters(text: string): string {
  return text.replace(/[\u001b\u009b][[\]()#;?]*(?:(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g, "");
}

const hasTag =
  (tag: string) =>
  (value: unknown): boolean =>
    Object.prototype.toString.call(value) === `[object ${tag}]`;

export const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  isDate: hasTag("Date"),
  isRegExp: hasTag("RegExp"),
  isMap: hasTag("Map"),
  isSet: hasTag("Set"),
  isWeakMap: hasTag("WeakMap"),
  isWeakSet: hasTag("WeakSet"),
  isPromise: hasTag("Promise"),
  isArrayBuffer: hasTag("ArrayBuffer"),
  isAnyArrayBuffer: hasTag("ArrayBuffer"),
  isUint8Array: hasTag("Uint8Array"),
  isDataView: hasTag("DataView"),
  isGeneratorObject: hasTag("Generator"),
  isAsyncFunction: hasTag("AsyncFunction"),
  isGeneratorFunction: hasTag("GeneratorFunction"),
  isNativeError: (value) => value instanceof Error,
  isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
};

export const TextDecoder: object = sandbox.TextDecoder;
export const TextEncoder: object = sandbox.TextEncoder;

interface DebugLog {
  (...args: unknown[]): void;
  readonly enabled: boolean;
}

/** Logs nothing: a plugin has no `NODE_DEBUG`. */
export const debuglog = (): DebugLog => Object.assign(() => {}, { enabled: false });
export const debug: typeof debuglog = debuglog;

/** Returns plain text, as on Node without a terminal. */
export const styleText = (_format: unknown, text: string): string => text;
