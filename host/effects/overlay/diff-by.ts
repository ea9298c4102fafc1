/** Diffs that are made on the service thread. */

import { type Service, ServiceError } from "../../primitives/service/service.ts";
import { DIFF } from "./diff-task.ts";
import { MAX_TEXT_BYTES, type Side } from "./unified-diff.ts";

/** As `unifiedDiff` does; also undefined where it cannot be made. */
export type Diff = (before: Side, after: Side) => Promise<string | undefined>;

/** @param owner whose change it is: the plugin, mostly */
export function diffBy(service: Service, owner: string): Diff {
  return async (before, after) => {
    // What has no diff need not be copied to the thread.
    if (Math.max(before.bytes.length, after.bytes.length) > MAX_TEXT_BYTES) return undefined;
    try {
      return await service.run(DIFF, { before, after }, { owner });
    } catch (error) {
      // The service has said that its thread ended: then sizes and hashes tell of the change.
      if (error instanceof ServiceError && (error.name === "ServiceEnded" || error.name === "ServiceBusy")) return undefined;
      throw error;
    }
  };
}
