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

interface Globals {
  readonly Deno: DenoLike;
  readonly URL: new (url: string, base?: string) => UrlLike;
  readonly URLSearchParams: object;
  readonly TextDecoder: object;
  readonly TextEncoder: object;
  readonly console: { warn(text: string): void };
  readonly performance: { now(): number };
  queueMicrotask(task: () => void): void;
}

// The prelude defines all of them.
const { Deno, URL, URLSearchParams, TextDecoder, TextEncoder, console, performance, queueMicrotask } = globalThis as unknown as Globals;

export const sandbox: Globals = { Deno, URL, URLSearchParams, TextDecoder, TextEncoder, console, performance, queueMicrotask };
