/** `naive_2kb`: a new runtime and the plugin's source for every call, against a fresh call. */

import type { Bench } from "./measure.ts";
import { naiveAgainstFresh } from "./naive.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";

export const naive2kb: Bench = {
  id: "naive_2kb",
  run: () =>
    naiveAgainstFresh({ module: PLUGIN_2KB, script: PLUGIN_2KB.replaceAll("export ", ""), exports: "globalThis" }, { rounds: 101 }),
};
