/** `--frozen`: runs only plugin versions that are in `bascule.lock` (SPEC H7). */

import type { Options, OptionSpec } from "./arguments.ts";

export const FROZEN_OPTION: OptionSpec = {
  name: "frozen",
  about: "Run only the versions in bascule.lock, byte for byte, and report differences",
};

export function isFrozenRun(options: Options): boolean {
  return options.has(FROZEN_OPTION.name);
}
