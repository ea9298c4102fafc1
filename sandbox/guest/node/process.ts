/** A stub of `node:process`: the members that libraries read, with the sandbox's virtual values. */

import { sandbox } from "./globals.ts";

const { Deno: deno, performance } = sandbox;

export const platform = "linux";
export const arch = "x64";
export const version = "v24.0.0";
export const versions: Readonly<Record<string, string>> = Object.freeze({ node: "24.0.0" });
export const argv: readonly string[] = Object.freeze([]);
export const execArgv: readonly string[] = Object.freeze([]);
export const pid = 1;
export const title = "bascule";
export const release: Readonly<Record<string, string>> = Object.freeze({ name: "node" });

/** Variables that the plugin itself has set or deleted, for the call only. */
const own = new Map<string, string | undefined>();

/** Reads the variables granted to the plugin; all others are absent. */
export const env: Record<string, string | undefined> = new Proxy<Record<string, string | undefined>>(
  {},
  {
    get: (_target, name) => (typeof name === "string" ? variable(name) : undefined),
    has: (_target, name) => typeof name === "string" && variable(name) !== undefined,
    ownKeys: () =>
      [...new Set([...Object.keys(granted(() => deno.env.toObject()) ?? {}), ...own.keys()])].filter(
        (name) => variable(name) !== undefined,
      ),
    getOwnPropertyDescriptor: (_target, name) => {
      const value = typeof name === "string" ? variable(name) : undefined;
      return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: true };
    },
    set: (_target, name, value) => keep(name, String(value)),
    defineProperty: (_target, name, { value }) => keep(name, String(value)),
    deleteProperty: (_target, name) => keep(name, undefined),
  },
);

function keep(name: string | symbol, value: string | undefined): boolean {
  if (typeof name === "string") own.set(name, value);
  return true;
}

function variable(name: string): string | undefined {
  return own.has(name) ? own.get(name) : granted(() => deno.env.get(name));
}

/** Libraries probe variables that they can do without, so a refusal counts as absent. */
function granted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && error.name === "NotCapable") return undefined;
    throw error;
  }
}

export function cwd(): string {
  return deno.cwd();
}

export function nextTick(task: (...args: unknown[]) => void, ...args: unknown[]): void {
  sandbox.queueMicrotask(() => task(...args));
}

/** Creates a stream that writes to the log, and is not a terminal. */
function stream(write: (text: string) => void): object {
  return {
    ...{ isTTY: false, columns: 80, writable: true, on, once, off, removeListener, emit: () => false, end() {} },
    getColorDepth: () => 1,
    hasColors: () => false,
    write: (text: unknown) => {
      write(String(text).replace(/\n$/, ""));
      return true;
    },
  };
}

interface HighResolutionTime {
  (since?: readonly [number, number]): [number, number];
  readonly bigint: () => bigint;
}

export const hrtime: HighResolutionTime = Object.assign(elapsed, { bigint: (): bigint => BigInt(Math.round(performance.now() * 1e6)) });

function elapsed(since: readonly [number, number] = [0, 0]): [number, number] {
  const now = performance.now();
  const seconds = Math.floor(now / 1_000) - since[0];
  const nanoseconds = Math.floor((now % 1_000) * 1e6) - since[1];
  return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
}

export function uptime(): number {
  return performance.now() / 1_000;
}

export function memoryUsage(): Readonly<Record<string, number>> {
  return { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 };
}

/** Ignores the listener, because the stub process has no events. */
export function on(): void {}
export const once: typeof on = on;
export const off: typeof on = on;
export const removeListener: typeof on = on;

export const emitWarning = (warning: unknown): void => sandbox.console.warn(String(warning));

export function exit(): never {
  throw new deno.errors.NotSupported("Cannot use process.exit in a plugin: return from the tool function, or throw");
}

export function kill(): never {
  throw new deno.errors.NotSupported("Cannot use process.kill in a plugin: a plugin cannot start or signal processes");
}

export const stdout: object = stream((text) => sandbox.console.log(text));
export const stderr: object = stream((text) => sandbox.console.warn(text));
export const features: object = {};
export const config: object = { variables: {}, target_defaults: {} };
