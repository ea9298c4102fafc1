/** React's interface for Ariakit, from Preact, with the two differences that matter to it. */

import { options } from "preact";

// @ts-expect-error: its types are written with `export =`; esbuild resolves the module, which has named exports
export * from "preact/compat";

/**
 * Preact runs insertion effects with layout effects, and children's before their parents', so a child could call a parent's handler before
 * it is set. Without them Ariakit sets its handlers while rendering.
 */
export const useInsertionEffect: undefined = undefined;

const currentTarget = Object.getOwnPropertyDescriptor(Event.prototype, "currentTarget");
const before = options.event;

/** Ariakit sets `currentTarget`, which is read-only in browsers' events and Preact passes these. */
options.event = (event: Event): unknown => {
  const value: unknown = currentTarget?.get?.call(event);
  Object.defineProperty(event, "currentTarget", { value, writable: true, configurable: true });
  return before?.(event);
};
