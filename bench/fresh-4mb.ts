/** `fresh_4mb`: a plugin that holds 4 MB costs no more to restore than a small one. */

import { freshAgainstWarm } from "./fresh.ts";
import type { Bench } from "./measure.ts";
import { pluginOfMegabytes } from "./plugin-2kb.ts";

export const fresh4mb: Bench = { id: "fresh_4mb", run: () => freshAgainstWarm(pluginOfMegabytes(4)) };
