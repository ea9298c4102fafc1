/** Records every proxy when it is created, because the engine does not reveal which objects are proxies. */

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

/** The replaced constructor is a proxy of the engine's own, so that all its other members behave like the engine's. */
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
