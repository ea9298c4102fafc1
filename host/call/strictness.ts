/** Which of two confirmation modes asks more of a person. */

import type { ConfirmMode } from "../../manifests/mod.ts";

/** Strictest first. */
export const MODES_BY_STRICTNESS: readonly ConfirmMode[] = ["deny", "prompt", "prompt_once", "auto"];

export function isStricter(left: ConfirmMode, right: ConfirmMode): boolean {
  return MODES_BY_STRICTNESS.indexOf(left) < MODES_BY_STRICTNESS.indexOf(right);
}
