/** Order of the confirmation modes by strictness. */

import type { ConfirmMode } from "../../manifests/mod.ts";

/** Modes, the strictest first. */
export const MODES_BY_STRICTNESS: readonly ConfirmMode[] = ["deny", "prompt", "prompt_once", "auto"];

export function isStricter(left: ConfirmMode, right: ConfirmMode): boolean {
  return MODES_BY_STRICTNESS.indexOf(left) < MODES_BY_STRICTNESS.indexOf(right);
}
