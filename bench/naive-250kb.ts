/** `naive_250kb`: the same for a plugin bundled with its libraries. */

import type { Bench } from "./measure.ts";
import { naiveAgainstFresh } from "./naive.ts";
import { bundle250kb } from "./plugin-250kb.ts";

export const naive250kb: Bench = {
  id: "naive_250kb",
  run: async () => await naiveAgainstFresh({ ...(await bundle250kb()), exports: "plugin" }, { rounds: 51 }),
};
