/** The sandbox's globals that these modules use. */

interface UrlLike {
  readonly href: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly pathname: string;
}

interface DenoLike {
  readonly env: { get(name: string): string | undefined; has(name: string): boolean; toObject(): Record<string, string> };
  readonly errors: { readonly NotSupported: new (message: string) => Error };
  cwd(): string;
  inspect(value: unknown, options?: object): string;
}

interface CryptoLike {
  readonly subtle: object;
  getRandomValues<T extends Uint8Array>(bytes: T): T;
  randomUUID(): string;
}

interface Globals {
  readonly Deno: DenoLike;
  readonly URL: new (url: string, base?: string) => UrlLike;
  readonly URLSearchParams: object;
  readonly TextDecoder: object;
  readonly TextEncoder: object;
  readonly crypto: CryptoLike;
  readonly console: { log(text: string): void; warn(text: string): void };
  readonly performance: { now(): number };
  queueMicrotask(task: () => void): void;
  setTimeout(task: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): unknown;
  clearTimeout(timer: unknown): void;
  setInterval(task: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): unknown;
  clearInterval(timer: unknown): void;
}

// The prelude defines all of them.
const { Deno, URL, URLSearchParams, TextDecoder, TextEncoder, console, performance, queueMicrotask } = globalThis as unknown as Globals;
const { crypto, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis as unknown as Globals;

export const sandbox: Globals = {
  ...{ Deno, URL, URLSearchParams, TextDecoder, TextEncoder, console, performance, queueMicrotask },
  ...{ crypto, setTimeout, clearTimeout, setInterval, clearInterval },
};
