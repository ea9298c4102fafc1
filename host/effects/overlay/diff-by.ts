/** Computes diffs on the service thread. */

import { type Service, ServiceError } from "../../primitives/service/service.ts";
import { DIFF } from "./diff-task.ts";
import { MAX_TEXT_BYTES, type Side } from "./unified-diff.ts";

/** Like `unifiedDiff`. Also undefined if the thread cannot compute it. */
export type Diff = (before: Side, after: Side) => Promise<string | undefined>;

/** @param owner whose share of the thread it uses, mostly the plugin's */
export function diffBy(service: Service, owner: string): Diff {
  return async (before, after) => {
    // Files too large for a diff are not copied to the thread.
    if (Math.max(before.bytes.length, after.bytes.length) > MAX_TEXT_BYTES) return undefined;
    try {
      return await service.run(DIFF, { before, after }, { owner });
    } catch (error) {
      // The service has reported that its thread ended. The report then shows sizes and hashes.
      if (error instanceof ServiceError && (error.name === "ServiceEnded" || error.name === "ServiceBusy")) return undefined;
      throw error;
    }
  };
}
