/** `fresh_4mb`: a plugin that holds 4 MB costs no more to restore than a small one. */

import { freshAgainstWarm, pluginOfMegabytes } from "./fresh.ts";
import type { Bench } from "./measure.ts";

export const fresh4mb: Bench = {
  id: "fresh_4mb",
  what: "the same with a heap of 4 MB",
  target: { atMost: 2.5 },
  run: () => freshAgainstWarm("fresh_4mb", pluginOfMegabytes(4)),
};
