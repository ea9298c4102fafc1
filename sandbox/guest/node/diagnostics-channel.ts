/** `node:diagnostics_channel`, on which nothing listens. */

interface Channel {
  readonly name: string | symbol;
  readonly hasSubscribers: boolean;
  publish(): void;
  subscribe(): void;
  unsubscribe(): boolean;
  runStores<T>(data: unknown, run: (...args: unknown[]) => T, self?: unknown, ...args: unknown[]): T;
  bindStore(): void;
}

export function channel(name: string | symbol): Channel {
  return {
    ...{ name, hasSubscribers: false, publish() {}, subscribe() {}, unsubscribe: () => false, bindStore() {} },
    runStores: (_data, run, self, ...args) => run.apply(self, args),
  };
}

export function tracingChannel(name: string): object {
  const run = <T>(act: (...args: unknown[]) => T, _context: unknown, self: unknown, ...args: unknown[]): T => act.apply(self, args);
  type Traced = readonly [act: (...args: unknown[]) => unknown, at: number, context: unknown, self: unknown, ...args: unknown[]];
  const traced = (...[act, , , self, ...args]: Traced): unknown => act.apply(self, args);
  const channels = Object.fromEntries(
    ["start", "end", "asyncStart", "asyncEnd", "error"].map((one) => [one, channel(`tracing:${name}:${one}`)]),
  );
  return {
    ...channels,
    hasSubscribers: false,
    traceSync: run,
    tracePromise: run,
    traceCallback: traced,
    subscribe() {},
    unsubscribe: () => false,
  };
}

export const hasSubscribers = (): boolean => false;
export const subscribe = (): void => {};
export const unsubscribe = (): boolean => false;
