/**
 * Preloaded into the workers of `fresh-seen.ts`'s warm host: an instance that holds its plugin's image is not restored
 * to it again, so that calls find what earlier ones left. Nothing of the product can be asked for this.
 */

import { registerHooks } from "node:module";

const RESTORER = /\/sandbox\/image\/tracked-restore\.(?:ts|js)$/;

/** Stands in for the module that restores, and imports the real one by another URL. */
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
