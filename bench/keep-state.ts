/**
 * Preloaded into the workers of `fresh-seen.ts`'s warm host: an instance that already holds its plugin's image is not restored,
 * so calls see the state of earlier ones. The product has no option for this.
 */

import { registerHooks } from "node:module";

const RESTORER = /\/sandbox\/image\/tracked-restore\.(?:ts|js)$/;

/** Replaces the module that restores; the real one is imported by another URL. */
const KEEPS_STATE = `
import { trackedRestore as real } from "./tracked-restore.ts?real";
export function trackedRestore(base) {
  const restorer = real(base);
  return { ...restorer, restore(instance, image) { if (instance.holds !== image) restorer.restore(instance, image); } };
}`;

registerHooks({
  load(url, context, next) {
    return RESTORER.test(url) ? { format: "module", source: KEEPS_STATE, shortCircuit: true } : next(url, context);
  },
});
