/** `fresh_16mb`: a plugin that holds 16 MB costs no more to restore than a small one. */

import { freshAgainstWarm } from "./fresh.ts";
import type { Bench } from "./measure.ts";
import { pluginOfMegabytes } from "./plugin-2kb.ts";

export const fresh16mb: Bench = { id: "fresh_16mb", run: () => freshAgainstWarm(pluginOfMegabytes(16)) };
