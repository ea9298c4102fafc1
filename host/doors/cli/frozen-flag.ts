/** `--frozen`: nothing runs that is not in `bascule.lock` as it is (SPEC H7). */

import type { Options, OptionSpec } from "./arguments.ts";

export const FROZEN_OPTION: OptionSpec = { name: "frozen", about: "Run only what is in bascule.lock, byte for byte; say what differs" };

export function isFrozenRun(options: Options): boolean {
  return options.has(FROZEN_OPTION.name);
}
