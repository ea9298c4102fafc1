/** Which objects are proxies: the engine tells no program, so each one is written down as it is made. */

import { define, PrimordialProxy, reflectConstruct, weakSetAdd, weakSetHas } from "./primordials.ts";
import type { Callable } from "./primordials.ts";

const known = new WeakSet();

export function isProxy(value: object): boolean {
  return weakSetHas(known, value);
}

function remember<T extends object>(proxy: T): T {
  weakSetAdd(known, proxy);
  return proxy;
}

/** The constructor is a proxy of the engine's own: whatever else is asked of it is the engine's answer. */
export function installProxies(global: object): void {
  const { revocable } = PrimordialProxy;
  const methods = {
    revocable(target: object, handler: ProxyHandler<object>): { proxy: object; revoke: () => void } {
      const made = revocable(target, handler);
      remember(made.proxy);
      return made;
    },
  };
  define(PrimordialProxy, "revocable", methods.revocable);
  const construct = (_target: unknown, args: unknown[]): object => remember(reflectConstruct(PrimordialProxy as unknown as Callable, args));
  define(global, "Proxy", new PrimordialProxy(PrimordialProxy, { __proto__: null, construct } as ProxyHandler<ProxyConstructor>));
}
