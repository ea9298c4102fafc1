/** `fresh_2kb`: restore and call, against a warm call of the same plugin on the published engine. */

import { freshAgainstWarm } from "./fresh.ts";
import type { Bench } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";

export const fresh2kb: Bench = { id: "fresh_2kb", run: () => freshAgainstWarm(PLUGIN_2KB) };
