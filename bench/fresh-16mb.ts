/** `fresh_16mb`: a plugin that holds 16 MB costs no more to restore than a small one. */

import { freshAgainstWarm, pluginOfMegabytes } from "./fresh.ts";
import type { Bench } from "./measure.ts";

export const fresh16mb: Bench = {
  id: "fresh_16mb",
  what: "the same with a heap of 16 MB",
  target: { atMost: 2.5 },
  run: () => freshAgainstWarm("fresh_16mb", pluginOfMegabytes(16)),
};
