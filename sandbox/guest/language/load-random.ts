/**
 * `Math.random` while a plugin loads: tells the worker, because the number becomes part of the plugin's image. Calls get the engine's own
 * function, which is faster; a reference that top-level code kept works the same.
 */

import { isLoading, tellWorker } from "../call/channel.ts";
import { define, reflectDefineProperty, reflectGetOwnPropertyDescriptor } from "./primordials.ts";

const math = Math;
const engines = math.random;
const telling = {
  random(): number {
    if (isLoading()) tellWorker("load.random");
    return engines();
  },
}.random;

export function installLoadRandom(): void {
  define(math, "random", telling);
}

/** Restores the engine's function, unless the plugin set another one or made it constant. */
export function endLoadRandom(): void {
  const own = reflectGetOwnPropertyDescriptor(math, "random");
  if (own?.value === telling) reflectDefineProperty(math, "random", { __proto__: null, value: engines } as PropertyDescriptor);
}
